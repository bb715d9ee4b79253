"""`--import`: a module of the user's own, so that its evaluations, orderings and schemes can be named."""

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import click

from outflank.errors import OutflankError


def add_import_option(command: click.Command) -> click.Command:
    """Let a command import modules before it looks at its other options."""
    if not any(parameter.name == "modules" for parameter in command.params):
        command.params.append(
            click.Option(
                ["--import", "modules"],
                metavar="MODULE",
                multiple=True,
                expose_value=False,
                is_eager=True,
                callback=_import_all,
                help="Import a module of yours first, or a .py file: its evaluations and schemes can then be named.",
            )
        )
    return command


def _import_all(context: click.Context, parameter: click.Parameter, modules: tuple[str, ...]) -> None:
    for name in modules:
        import_users(name)


def import_users(given: str) -> Any:
    """The module of that name, from here or from where Python finds modules, or in that file."""
    path = Path(given)
    try:
        if path.suffix == ".py" or path.is_file():
            return _from_file(path)
        if "" not in sys.path and str(Path.cwd()) not in sys.path:
            sys.path.insert(0, str(Path.cwd()))  # as `python -m` does
        return import_module(given)
    except (Exception, SystemExit) as error:  # whatever its author has written
        from outflank.plugins import failure_of  # of which `--version` has no need

        raise OutflankError(f"--import {given}: {failure_of(error)}") from None


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
