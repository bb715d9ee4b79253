"""What a check found."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from outflank.lab.races.clocks import Pair, Seen, Touch
from outflank.lab.races.declared import Declaration, SourceLine, declaration_at, every_declaration


@dataclass(frozen=True, slots=True)
class Access:
    """One side of a race."""

    thread: str
    """Who was seen at it first."""
    kind: str
    """`read`, `write` or `update`."""
    order: str
    """The memory ordering; `plain`: no atomic."""
    place: SourceLine

    def __str__(self) -> str:
        return f"{self.place} ({self.thread}, {self.order} {self.kind})"


@dataclass(frozen=True, slots=True)
class Race:
    """Two accesses to the same memory, one of them a write, of which neither happens before the other."""

    first: Access
    second: Access
    what: str
    """The field or word."""
    declared: bool
    """Whether both lines say that it is accepted."""
    reason: str
    """Why, as they say."""
    times: int

    def __str__(self) -> str:
        return f"{self.what}: {self.first} and {self.second}, {self.times:,} times"


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceFindings:
    """What some schedules of a search have shown."""

    races: tuple[Race, ...]
    """By what they are about, then by their lines."""
    schedules: int
    steps: int
    """Accesses and waits, of all schedules together."""
    accesses: int
    unfinished: tuple[str, ...]
    """Schedules under which the search did not end within the steps allowed, or failed."""
    values: tuple[tuple[int, int], ...]
    """The value under each of the other schedules, and that of one worker alone."""
    unseen: tuple[Declaration, ...]
    """Declarations at which no race was seen: in a broad check, a reason to look at them again."""

    @property
    def undeclared(self) -> tuple[Race, ...]:
        """The races that nobody has accepted."""
        return tuple(race for race in self.races if not race.declared)

    @property
    def wrong(self) -> tuple[tuple[int, int], ...]:
        """Values that differ from those of one worker."""
        return tuple(pair for pair in self.values if pair[0] != pair[1])

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not self.undeclared and not self.unfinished and not self.wrong


def races_of(pairs: Mapping[Pair, Seen], threads: Sequence[str]) -> tuple[Race, ...]:
    """The races of one schedule, one for each pair of lines, whichever came first."""
    found = []
    for pair, seen in pairs.items():
        sides = [_access(touch, threads[who]) for touch, who in zip(pair[:2], seen.strands, strict=True)]
        first, second = sorted(sides, key=lambda side: (side.place, side.kind, side.order))
        declared = [one for one in (declaration_at(first.place), declaration_at(second.place)) if one is not None]
        reason = "; ".join(dict.fromkeys(one.reason for one in declared))
        found.append(Race(first, second, pair.what, len(declared) == 2, reason, seen.times))
    return merged(found)


def together(findings: Iterable[RaceFindings]) -> RaceFindings:
    """The findings of several checks as those of one."""
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
    """Races of several schedules or checks, each once."""
    found: dict[tuple[object, ...], Race] = {}
    for race in races:
        sides = [(side.place, side.kind, side.order) for side in (race.first, race.second)]
        key = (race.what, *sides)
        times = race.times + (found[key].times if key in found else 0)
        found[key] = replace(found.get(key, race), times=times)
    return tuple(found[key] for key in sorted(found))


def unseen_among(races: Iterable[Race]) -> tuple[Declaration, ...]:
    """The package's declarations at which none of these races is."""
    seen = {declaration_at(side.place) for race in races for side in (race.first, race.second)}
    return tuple(one for one in every_declaration() if one not in seen)


def _access(touch: Touch, thread: str) -> Access:
    assert isinstance(touch.place, SourceLine)
    return Access(thread, touch.kind, touch.order, touch.place)
