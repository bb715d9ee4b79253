"""Import of a user's own modules, by name or from a file, here and in other processes that receive pickled values."""

import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from outflank.errors import OutflankError

_imported: dict[str, str] = {}
"""Imported user modules, in order: the name or the file's full path, and the text that named it."""


def import_user_module(name_or_path: str) -> ModuleType:
    """Import a module from a file, or by name from the current folder or Python's path, and return it."""
    path = Path(name_or_path)
    is_file = path.suffix == ".py" or path.is_file()
    try:
        if not is_file and "" not in sys.path and str(Path.cwd()) not in sys.path:
            sys.path.insert(0, str(Path.cwd()))  # as `python -m` does
        module = _from_file(path) if is_file else import_module(name_or_path)
        _imported[str(path.resolve()) if is_file else name_or_path] = name_or_path
        return module
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # user modules may raise anything
        from outflank.plugins import failure_of  # not needed by `--version`

        raise OutflankError(f"--import {name_or_path}: {failure_of(error, __file__)}") from None


def imported_modules() -> tuple[str, ...]:
    """Return the names and files of imported user modules, in order, for another process of this machine to import."""
    return tuple(_imported)


def import_options() -> list[str]:
    """Return the options `--import` with which a command imports the same modules, as they were named here."""
    return [word for name in _imported.values() for word in ("--import", name)]


def _from_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise OutflankError("there is no such file")
    file, name = path.resolve(), path.stem
    known = sys.modules.get(name)
    if known is not None:
        if getattr(known, "__file__", None) != str(file):
            raise OutflankError(f"there is a module called {name} already; give the file another name")
        return known
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise OutflankError("a Python file ends in .py")
    module = module_from_spec(spec)
    sys.modules[name] = module  # kernels are looked up through the name of their module
    if str(file.parent) not in sys.path:
        sys.path.insert(0, str(file.parent))  # it can import modules beside it, as a script can
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


@dataclass(frozen=True, slots=True)
class PickledValue:
    """A pickled value with the user modules that it needs."""

    modules: tuple[str, ...]
    data: bytes

    def load(self) -> Any:
        """Return the value; raise `OutflankError` if one of `modules` cannot be imported in this process."""
        for module in self.modules:
            import_user_module(module)
        return pickle.loads(self.data)

    @property
    def needs_user_code(self) -> bool:
        """Whether the value refers to modules that do not belong to this package, Python or NumPy.

        Every text that is the name of such a module counts, because a pickle has the names of modules as texts.
        """
        from pickletools import genops  # takes 2 ms; only clusters that stay up need it

        texts = {text for _, text, _ in genops(self.data) if isinstance(text, str)}
        names = {text.partition(" ")[0] for text in texts}  # some protocols write a module and a class as one text
        own = {*sys.stdlib_module_names, "outflank", "numpy"}
        return bool(self.modules) or any(name in sys.modules and name.partition(".")[0] not in own for name in names)


def pickle_for_nodes(value: object, dumps: Callable[[object], bytes] = pickle.dumps) -> PickledValue:
    """Return the pickled value, with the user modules that this process has imported."""
    try:
        return PickledValue(imported_modules(), dumps(value))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise OutflankError(f"this cannot be sent to another process: {error}") from None
