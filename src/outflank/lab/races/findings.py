"""The findings of a race check: races, unfinished schedules and wrong values."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from outflank.lab.races.declared import Declaration, SourceLine, declaration_at, every_declaration
from outflank.lab.races.vector_clocks import Pair, RaceCount, Touch
from outflank.validation.text import how_many


@dataclass(frozen=True, slots=True)
class Access:
    """One of the two accesses of a race."""

    thread: str
    """Name of the thread that made the access when the race was first observed."""
    kind: str
    """Kind of access: `read`, `write` or `update`."""
    order: str
    """Memory order of the access: one of C11's, or `plain` if it is not atomic."""
    place: SourceLine

    def __str__(self) -> str:
        return f"{self.place} ({self.thread}, {self.order} {self.kind})"


@dataclass(frozen=True, slots=True)
class Race:
    """A race: two unordered accesses to the same memory, of which at least one writes."""

    first: Access
    second: Access
    what: str
    """Name of the field or word in memory that both accesses use."""
    declared: bool
    """True if declarations at both source lines accept the race."""
    reason: str
    """Reason that the declarations give for accepting the race."""
    times: int

    def __str__(self) -> str:
        return f"{self.what}: {self.first} and {self.second}, {self.times:,} times"


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceFindings:
    """The findings of a race check under one or more schedules."""

    races: tuple[Race, ...]
    """Races, sorted by field and then by line."""
    schedules: int
    steps: int
    """Number of accesses and waits in all schedules."""
    accesses: int
    unfinished: tuple[str, ...]
    """Schedules under which the search failed or took too many steps, each with the reason."""
    values: tuple[tuple[int, int], ...]
    """For each finished schedule, the value of the search under it, and the value that one worker found."""
    unseen: tuple[Declaration, ...]
    """Declarations of accepted races at which no race was observed. After a broad check, they may be obsolete."""

    @property
    def undeclared(self) -> tuple[Race, ...]:
        """Races that are not declared as accepted."""
        return tuple(race for race in self.races if not race.declared)

    @property
    def wrong(self) -> tuple[tuple[int, int], ...]:
        """Pairs in `values` in which the two values differ."""
        return tuple(pair for pair in self.values if pair[0] != pair[1])

    @property
    def passed(self) -> bool:
        """True if there is no undeclared race, no unfinished schedule and no wrong value."""
        return not self.undeclared and not self.unfinished and not self.wrong


def races_of(pairs: Mapping[Pair, RaceCount], threads: Sequence[str]) -> tuple[Race, ...]:
    """Return the races of one schedule. Two accesses in either order are the same race."""
    races = []
    for pair, count in pairs.items():
        sides = [_access(touch, threads[strand]) for touch, strand in zip(pair[:2], count.strands, strict=True)]
        first, second = sorted(sides, key=lambda side: (side.place, side.kind, side.order))
        declared = [
            declaration
            for declaration in (declaration_at(first.place), declaration_at(second.place))
            if declaration is not None
        ]
        reason = "; ".join(dict.fromkeys(declaration.reason for declaration in declared))
        races.append(Race(first, second, pair.what, len(declared) == 2, reason, count.times))
    return merged(races)


def together(findings: Iterable[RaceFindings]) -> RaceFindings:
    """Return the combined findings of several checks."""
    parts = list(findings)
    races = merged(race for part in parts for race in part.races)
    return RaceFindings(
        races=races,
        schedules=sum(part.schedules for part in parts),
        steps=sum(part.steps for part in parts),
        accesses=sum(part.accesses for part in parts),
        unfinished=tuple(line for part in parts for line in part.unfinished),
        values=tuple(pair for part in parts for pair in part.values),
        unseen=unseen_among(races),
    )


def merged(races: Iterable[Race]) -> tuple[Race, ...]:
    """Merge equal races of several schedules, and sum their counts."""
    by_key: dict[tuple[object, ...], Race] = {}
    for race in races:
        sides = [(side.place, side.kind, side.order) for side in (race.first, race.second)]
        key = (race.what, *sides)
        times = race.times + (by_key[key].times if key in by_key else 0)
        by_key[key] = replace(by_key.get(key, race), times=times)
    return tuple(by_key[key] for key in sorted(by_key))


def problems_text(races: int, unfinished: int, wrong: int, schedules: int) -> str:
    """Return the problems that a race check has counted, in words, or an empty text if there are none."""
    problems = [
        how_many(races, "race") if races else "",
        f"{unfinished:,} of {how_many(schedules, 'schedule')} failed or did not end" if unfinished else "",
        f"{wrong:,} of {how_many(schedules, 'schedule')} gave a wrong value" if wrong else "",
    ]
    return ", and ".join(filter(None, problems))


def unseen_among(races: Iterable[Race]) -> tuple[Declaration, ...]:
    """Return the package's declarations at which none of these races was observed."""
    observed = {declaration_at(side.place) for race in races for side in (race.first, race.second)}
    return tuple(declaration for declaration in every_declaration() if declaration not in observed)


def _access(touch: Touch, thread: str) -> Access:
    assert isinstance(touch.place, SourceLine)
    return Access(thread, touch.kind, touch.order, touch.place)
