"""Modules of a user's own that a command is told to import, by name or as a file."""

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from outflank.errors import OutflankError

_imported: dict[str, None] = {}


def import_users(given: str) -> Any:
    """The module of that name, from here or from where Python finds modules, or in that file."""
    path = Path(given)
    is_file = path.suffix == ".py" or path.is_file()
    try:
        if not is_file and "" not in sys.path and str(Path.cwd()) not in sys.path:
            sys.path.insert(0, str(Path.cwd()))  # as `python -m` does
        module = _from_file(path) if is_file else import_module(given)
        _imported[str(path.resolve()) if is_file else given] = None
        return module
    except KeyboardInterrupt:  # pressed while it was imported; a module that raises it asks for the same
        raise
    except BaseException as error:  # whatever its author has written
        from outflank.plugins import failure_of  # of which `--version` has no need

        raise OutflankError(f"--import {given}: {failure_of(error, __file__)}") from None


def imported_modules() -> tuple[str, ...]:
    """What was given, in order, for another process of this machine to import too."""
    return tuple(_imported)


def _from_file(path: Path) -> Any:
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
    sys.modules[name] = module  # its kernels are found again by its name
    if str(file.parent) not in sys.path:
        sys.path.insert(0, str(file.parent))  # what lies beside it can be imported, as from a script
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
