"""Parts that are chosen by name: the package's own, those that other packages install, and those of this process.

Every kind of part (game, scheme, evaluation, experiment, protocol) has one `Registry`. The package's own and plug-ins
are found alike, as `module:attribute`, and imported when they are first asked for. Plug-ins are the entry points of a
group such as `outflank.schemes`, looked up only for a name that is not known otherwise, or for a list of all.
"""

import os
import sys
import warnings
from collections.abc import Callable, Mapping
from functools import lru_cache, reduce
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from outflank.errors import InvalidOption, OutflankError, UnknownName

Part = TypeVar("Part")


# Named tuples: every command makes these classes, and a dataclass takes six times as long.


class Source(NamedTuple):
    """Where a part is from."""

    place: str
    """Where it is written: `module:attribute`, or who has registered it: `module`, `module.Class`."""
    package: str = ""
    """What installs it, with its version; nothing, if it was registered in this process."""

    @property
    def module(self) -> str:
        """The place without the attribute."""
        return self.place.partition(":")[0]

    def __str__(self) -> str:
        return f"{self.package} ({self.place})" if self.package else self.place


class Listed(NamedTuple, Generic[Part]):
    """A name, and what is behind it."""

    name: str
    source: Source
    part: Part | None = None
    reason: str = ""
    """Why there is no part: a line that says which plug-in it is, too."""


def instance_of(wanted: type[Part]) -> Callable[[str, object], Part]:
    """A check for parts that are values of a class, and know their own names."""

    def check(name: str, found: object) -> Part:
        if not isinstance(found, wanted):
            raise InvalidOption(f"expected a {wanted.__name__}, found {found!r}")
        if getattr(found, "name", name) != name:
            raise InvalidOption(f"expected a {wanted.__name__} of that name, found {getattr(found, 'name', '')!r}")
        return found

    return check


class Registry(Generic[Part]):
    """The parts of one kind. A name belongs to who took it first, and to the package before anybody else."""

    def __init__(self, kind: str, group: str, homes: Mapping[str, str], *, check: Callable[[str, Any], Part]) -> None:
        """Parts that errors call `kind`, with the entry points of `group`; `homes` are the places of the package's own.

        `check` gives the part for what was found under a name, or refuses it by `InvalidOption`.
        """
        self.kind, self.group = kind, group
        self._own = {name: Source(place=home, package="outflank") for name, home in homes.items()}
        self._registered: dict[str, Source] = {}
        self._check = check
        self._loaded: dict[str, Part] = {}
        self._told: set[str] = set()

    def __contains__(self, name: object) -> bool:
        return name in self._known or name in self.sources()

    @property
    def own(self) -> tuple[str, ...]:
        """The names of the package's own."""
        return tuple(self._own)

    def names(self) -> tuple[str, ...]:
        """All names, the package's own first; nothing is imported for it."""
        return tuple(self.sources())

    def sources(self) -> dict[str, Source]:
        """Where the part of each name is from; nothing is imported for it."""
        return self._sources(_entry_points(self.group))

    def get(self, name: str) -> Part:
        """The part of that name."""
        if name not in self._loaded:
            source = self._known.get(name) or self.sources().get(name)
            if source is None:
                raise UnknownName.among(self.kind, name, self.names())
            self._load(name, source)
        return self._loaded[name]

    def register(self, name: str, part: Any, *, by: str) -> Part:
        """Make a part of this process known. It is theirs who registered it (`by`): they may again, and nobody else."""
        try:
            found = self._check(name, part)
        except InvalidOption as error:
            raise InvalidOption(f"{self.kind} {name!r}: {error}") from None
        if name in self._own and found is self.get(name):
            return found
        if name in self._known and self._known[name] != Source(place=by):
            raise InvalidOption(f"{self.kind} {name!r} is {self._known[name].module}: choose another name")
        self._registered[name], self._loaded[name] = Source(place=by), found
        return found

    def parts(self) -> dict[str, Part]:
        """All parts by name. A plug-in that cannot be loaded is left out, and told of in a warning once."""
        listing = self.listing()
        for line in sorted({each.reason for each in listing} - self._told - {""}):
            warnings.warn(line, RuntimeWarning, stacklevel=2)
            self._told.add(line)
        return {each.name: each.part for each in listing if each.part is not None}

    def listing(self) -> list[Listed[Part]]:
        """All there is, plug-ins that cannot be loaded or want a name of others' included."""
        installed = _entry_points(self.group)
        sources, found = self._sources(installed), []
        for name, source in sources.items():
            try:
                if name not in self._loaded:
                    self._load(name, source)
                found.append(Listed(name=name, source=source, part=self._loaded[name]))
            except InvalidOption as error:
                found.append(Listed(name=name, source=source, reason=str(error)))
        for name, source in installed:
            if sources[name] != source:
                reason = f"{self.kind} {name!r} of {source}: that name belongs to {sources[name]}"
                found.append(Listed(name=name, source=source, reason=reason))
        return found

    def _sources(self, installed: list[tuple[str, Source]]) -> dict[str, Source]:
        found = self._known
        for name, source in installed:
            taken = found.setdefault(name, source)
            if not taken.package and f"{taken.place}.".startswith(f"{source.module}."):
                found[name] = source  # its module registers it too
        return found

    @property
    def _known(self) -> dict[str, Source]:
        """What is known without a look at what is installed."""
        return self._own | self._registered

    def _load(self, name: str, source: Source) -> None:
        module, _, attribute = source.place.partition(":")
        try:
            found = reduce(getattr, attribute.split("."), import_module(module))
            self._loaded[name] = self._check(name, found)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever its author has written
            if name in self._own:
                raise
            raise InvalidOption(f"{self.kind} {name!r} of {source}: {failure_of(error)}") from None


def _entry_points(group: str) -> list[tuple[str, Source]]:
    """The plug-ins of a group in the order in which Python finds them; as of now, for more may have been installed."""
    return list(_installed(group, tuple((folder, _changed(folder)) for folder in sys.path)))


@lru_cache(maxsize=16)
def _installed(group: str, folders: tuple[tuple[str, int], ...]) -> tuple[tuple[str, Source], ...]:
    """Those in folders that have changed at these moments: to read what all packages say takes 20 ms and more."""
    from importlib.metadata import entry_points  # 20 ms, of which most commands have no need

    return tuple(
        (each.name, Source(place=each.value, package=f"{each.dist.name} {each.dist.version}" if each.dist else "?"))
        for each in entry_points(group=group)
    )


def _changed(folder: str) -> int:
    """When something was last installed there, or taken away; 0 where nothing can be."""
    try:
        return os.stat(folder or ".").st_mtime_ns
    except OSError:
        return 0


def failure_of(error: BaseException, importer: str = __file__) -> str:
    """What went wrong in a module of somebody's, and where in its file; `importer` is the file that imported it."""
    import traceback  # of which only this has need

    said = said_by(error)
    if isinstance(error, OutflankError | ModuleNotFoundError):
        return said
    if isinstance(error, SyntaxError) and isinstance(error.filename, str) and isinstance(error.lineno, int):
        return f"{Path(error.filename).name}, line {error.lineno}: {error.msg}"
    places = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith("<") and frame.filename not in (__file__, importer)
    ]
    place = f"{Path(places[-1].filename).name}, line {places[-1].lineno}: " if places else ""
    return f"{place}{_name_of(type(error))}{': ' if said else ''}{said}"


def said_by(error: BaseException) -> str:
    """The text of an exception, whatever its author's `__str__` does."""
    try:
        return str(error)
    except KeyboardInterrupt:
        raise
    except BaseException as failure:
        return f"its text cannot be shown: its __str__ raises {_name_of(type(failure))}"


def _name_of(kind: type) -> str:
    """The name of a class, whatever its author's metaclass does."""
    name: str = type.__dict__["__name__"].__get__(kind)
    return name
