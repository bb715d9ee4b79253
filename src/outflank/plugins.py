"""Registries of parts that are chosen by name: parts of the package, of plug-ins, and of user code in this process.

Every kind of part (game, scheme, evaluation, experiment, protocol) has one `Registry`. The parts of the package and of
plug-ins are given as `module:attribute`, and imported at their first use. Plug-ins are entry points of a group such as
`outflank.schemes`. They are looked up only for a name that is otherwise unknown, or for a list of all names.
"""

import os
import sys
import warnings
from collections.abc import Callable, Mapping
from functools import lru_cache, reduce
from importlib import import_module
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from outflank.errors import InvalidOption, OutflankError, UnknownName

Part = TypeVar("Part")


# Named tuples: every command defines these classes, and defining a dataclass takes six times as long.


class Source(NamedTuple):
    """The origin of a registered part, such as a game or a scheme."""

    place: str
    """`module:attribute` of the part, or the `module` or `module.Class` that has registered it."""
    package: str = ""
    """Package that installs the part, with its version; empty if it was registered in this process."""

    @property
    def module(self) -> str:
        """Module in `place`, without the attribute."""
        return self.place.partition(":")[0]

    def __str__(self) -> str:
        return f"{self.package} ({self.place})" if self.package else self.place


class ListedPart(NamedTuple, Generic[Part]):
    """A name in a registry, with the part that has this name, or the reason why the part cannot be used."""

    name: str
    source: Source
    part: Part | None = None
    reason: str = ""
    """Why the part cannot be used, in one line that names the plug-in; empty if it can."""


def instance_of(expected: type[Part]) -> Callable[[str, object], Part]:
    """Return a check that a part is an instance of `expected` and that its `name`, if any, is its name in the
    registry."""

    def check(name: str, part: object) -> Part:
        if not isinstance(part, expected):
            raise InvalidOption(f"expected a {expected.__name__}, found {part!r}")
        if getattr(part, "name", name) != name:
            raise InvalidOption(f"expected a {expected.__name__} of that name, found {getattr(part, 'name', '')!r}")
        return part

    return check


class Registry(Generic[Part]):
    """The parts of one kind, by name. A name belongs to this package, or else to the first module that registers it."""

    def __init__(
        self, kind: str, group: str, homes: Mapping[str, str], *, check: Callable[[str, object], Part]
    ) -> None:
        """Make a registry of parts that error messages call a `kind`, such as "game".

        `group` is the entry point group of plug-ins; `homes` gives the `module:attribute` of the package's parts by
        name. `check(name, object)` returns the part, or raises `InvalidOption`.
        """
        self.kind, self.group = kind, group
        self._own = {name: Source(place=home, package="outflank") for name, home in homes.items()}
        self._registered: dict[str, Source] = {}
        self._check = check
        self._loaded: dict[str, Part] = {}
        self._warned: set[str] = set()

    def __contains__(self, name: object) -> bool:
        return name in self._known or name in self.sources()

    @property
    def own(self) -> tuple[str, ...]:
        """Names of the package's own parts."""
        return tuple(self._own)

    def names(self) -> tuple[str, ...]:
        """Return all names, the package's own first, without importing any part."""
        return tuple(self.sources())

    def sources(self) -> dict[str, Source]:
        """Return the source of each name's part, without importing any part."""
        return self._sources(_entry_points(self.group))

    def get(self, name: str) -> Part:
        """Return the part called `name`; raise `UnknownName` if there is none."""
        if name not in self._loaded:
            source = self._known.get(name) or self.sources().get(name)
            if source is None:
                raise UnknownName.among(self.kind, name, self.names())
            self._load(name, source)
        return self._loaded[name]

    def register(self, name: str, part: object, *, by: str) -> Part:
        """Register a part in this process. Only `by`, the module or class that registers it, can replace it later."""
        try:
            checked = self._check(name, part)
        except InvalidOption as error:
            raise InvalidOption(f"{self.kind} {name!r}: {error}") from None
        if name in self._own and checked is self.get(name):
            return checked
        if name in self._known and self._known[name] != Source(place=by):
            raise InvalidOption(f"{self.kind} {name!r} is {self._known[name].module}: choose another name")
        self._registered[name], self._loaded[name] = Source(place=by), checked
        if by.partition(".")[0] != __package__:
            note_user_part(name)
        return checked

    def parts(self) -> dict[str, Part]:
        """Return all parts by name. A plug-in that cannot be loaded is left out, with one warning per process."""
        listing = self.listing()
        for line in sorted({entry.reason for entry in listing} - self._warned - {""}):
            warnings.warn(line, RuntimeWarning, stacklevel=2)
            self._warned.add(line)
        return {entry.name: entry.part for entry in listing if entry.part is not None}

    def listing(self) -> list[ListedPart[Part]]:
        """Return all entries, including plug-ins that cannot be loaded or have a name that is taken."""
        installed = _entry_points(self.group)
        sources, entries = self._sources(installed), []
        for name, source in sources.items():
            try:
                if name not in self._loaded:
                    self._load(name, source)
                entries.append(ListedPart(name=name, source=source, part=self._loaded[name]))
            except InvalidOption as error:
                entries.append(ListedPart(name=name, source=source, reason=str(error)))
        for name, source in installed:
            if sources[name] != source:
                reason = f"{self.kind} {name!r} of {source}: that name belongs to {sources[name]}"
                entries.append(ListedPart(name=name, source=source, reason=reason))
        return entries

    def _sources(self, installed: list[tuple[str, Source]]) -> dict[str, Source]:
        sources = self._known
        for name, source in installed:
            owner = sources.setdefault(name, source)
            if not owner.package and f"{owner.place}.".startswith(f"{source.module}."):
                sources[name] = source  # the plug-in's own module has registered the name
        return sources

    @property
    def _known(self) -> dict[str, Source]:
        """Sources of the names that are known without looking at installed packages."""
        return self._own | self._registered

    def _load(self, name: str, source: Source) -> None:
        module, _, attribute = source.place.partition(":")
        try:
            part = reduce(getattr, attribute.split("."), import_module(module))
            self._loaded[name] = self._check(name, part)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # plug-ins may raise anything
            if name in self._own:
                raise
            raise InvalidOption(f"{self.kind} {name!r} of {source}: {failure_of(error)}") from None


_user_parts: set[str] = set()
"""Names of the parts that code outside this package has registered in this process."""


def note_user_part(name: str) -> None:
    """Note that code outside this package has registered a part in this process."""
    _user_parts.add(name)


def any_user_parts() -> bool:
    """Return whether code outside this package has registered any part in this process."""
    return bool(_user_parts)


def any_installed(prefix: str) -> bool:
    """Return whether any plug-in is installed for a group whose name begins with `prefix`."""
    from importlib.metadata import entry_points  # see `_installed`

    return any(group.startswith(prefix) for group in entry_points().groups)


def _entry_points(group: str) -> list[tuple[str, Source]]:
    """Return the plug-ins of a group that are installed now, in the order in which Python finds them."""
    return list(_installed(group, tuple((folder, _changed(folder)) for folder in sys.path)))


@lru_cache(maxsize=16)
def _installed(group: str, folders: tuple[tuple[str, int], ...]) -> tuple[tuple[str, Source], ...]:
    """Return the plug-ins in `folders` (path and time of change). Cached: reading all packages takes 20 ms or more."""
    from importlib.metadata import entry_points  # takes 20 ms; most commands do not need it

    return tuple(
        (
            point.name,
            Source(place=point.value, package=f"{point.dist.name} {point.dist.version}" if point.dist else "?"),
        )
        for point in entry_points(group=group)
    )


def _changed(folder: str) -> int:
    """Return when something was last installed in a folder or removed from it, in ns; 0 if there is no folder."""
    try:
        return os.stat(folder or ".").st_mtime_ns
    except OSError:
        return 0


def failure_of(error: BaseException, importer: str = __file__) -> str:
    """Return the error of a user's or plug-in's module in words, with its line; `importer` is the importing file."""
    import traceback

    text = error_text(error)
    if isinstance(error, OutflankError | ModuleNotFoundError):
        return text
    if isinstance(error, SyntaxError) and isinstance(error.filename, str) and isinstance(error.lineno, int):
        return f"{Path(error.filename).name}, line {error.lineno}: {error.msg}"
    places = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith("<") and frame.filename not in (__file__, importer)
    ]
    place = f"{Path(places[-1].filename).name}, line {places[-1].lineno}: " if places else ""
    return f"{place}{_name_of(type(error))}{': ' if text else ''}{text}"


def error_text(error: BaseException) -> str:
    """Return the text of an exception, even if its `__str__` raises."""
    try:
        return str(error)
    except KeyboardInterrupt:
        raise
    except BaseException as failure:
        return f"its text cannot be shown: its __str__ raises {_name_of(type(failure))}"


def _name_of(kind: type) -> str:
    """Return the name of a class, even if its metaclass redefines `__name__`."""
    name: str = type.__dict__["__name__"].__get__(kind)
    return name
