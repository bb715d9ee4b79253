"""A finished game of a match, and its JSON form in `games.jsonl`, in printed output and in messages between nodes."""

from dataclasses import dataclass, fields, replace
from typing import Annotated, Literal

from msgspec import Meta, Struct

from outflank.arena.referee import Ending, FinishedGame
from outflank.boards import Board
from outflank.formats.fields import REASONS
from outflank.formats.game_record import PlayedMove, Record, Setup
from outflank.formats.numbered import read_numbered
from outflank.formats.recognise import read
from outflank.games.description import description_of
from outflank.games.rules import Game
from outflank.games.sides import Side
from outflank.players.processor_use import ProcessorUse
from outflank.validation.documents import Count, Duration, Number
from outflank.validation.values import Called, Misfit

POINTS = (0.0, 0.5, 1.0)


class ProcessorDocument(Struct, frozen=True, kw_only=True):
    """Processor time that one side used while it was to move."""

    thinking_seconds: Duration
    """Wall-clock time from each request for a move to its answer, summed over all moves."""
    cpu_seconds: Duration
    """Processor time of the player's process and its descendants."""
    entitled_seconds: Duration
    """Processor time that the player would have had on an otherwise idle machine."""

    @classmethod
    def of(cls, use: ProcessorUse) -> "ProcessorDocument":
        """Return the document of these times, rounded to milliseconds."""
        return cls(**{field.name: round(getattr(use, field.name), 3) for field in fields(ProcessorUse)})

    @property
    def use(self) -> ProcessorUse:
        """The same times as a `ProcessorUse`."""
        return ProcessorUse(**{field.name: getattr(self, field.name) for field in fields(ProcessorUse)})


class GameLine(Struct, frozen=True, kw_only=True):
    """JSON form of a finished game: a line of `games.jsonl`."""

    game: Count
    """Number of the game in the schedule."""
    black: Count
    """Number of the player that played black."""
    white: Count
    names: tuple[str, str]
    points: Annotated[float, Called("one of 0.0, 0.5, 1.0")]
    """Points of black: 1 for a win, 0.5 for a draw, 0 for a loss."""
    score: Number
    """Black's winning margin, in the game's unit."""
    reason: Literal["", *REASONS]  # type: ignore[valid-type]  # the reasons are listed in one place
    """Why the game ended; empty if it ended by the rules."""
    detail: str
    forfeited_by: Side | None
    date: str
    clock: str
    start: str
    """Starting position, in the game's notation."""
    ply: Annotated[int, Meta(ge=0, le=1_000_000)]
    """Number of moves before the starting position."""
    moves: tuple[Annotated[int, Meta(ge=0, le=0xFFFF)], ...]
    values: tuple[Number | None, ...]
    """Value of each move as its player estimated it, from the player's side."""
    seconds: tuple[Duration | None, ...]
    processor: tuple[ProcessorDocument | None, ProcessorDocument | None] = (None, None)
    """Processor time of black and of white; null if the player has no process of its own or it cannot be measured."""

    def __post_init__(self) -> None:
        if self.points not in POINTS:
            raise Misfit("points", f"expected one of 0.0, 0.5, 1.0, found {self.points}")
        for name, elements in (("values", self.values), ("seconds", self.seconds)):
            if len(elements) != len(self.moves):
                raise Misfit(name, f"expected {len(self.moves)} elements, one for each move, found {len(elements)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchGame:
    """A finished game, with its number in the schedule and the numbers of its players."""

    number: int
    black: int
    white: int
    game: FinishedGame

    def processor(self, player: int) -> ProcessorUse | None:
        """Return the processor time of the player with this number; None if it was not measured."""
        return self.game.processor.get(Side.BLACK if self.black == player else Side.WHITE)

    @property
    def loser(self) -> int | None:
        """Number of the player that lost by forfeit; None if there was no forfeit."""
        side = self.game.ending.forfeited_by
        return None if side is None else self.black if side is Side.BLACK else self.white

    @property
    def line(self) -> GameLine:
        """JSON form of the game."""
        record, ending, used = self.game.record, self.game.ending, self.game.processor
        black, white = (ProcessorDocument.of(used[side]) if side in used else None for side in Side)
        return GameLine(
            game=self.number,
            black=self.black,
            white=self.white,
            names=(record.black, record.white),
            points=ending.points,
            score=ending.score,
            reason=ending.reason,
            detail=ending.detail,
            forfeited_by=ending.forfeited_by,
            date=record.date,
            clock=record.clock,
            start=Board.from_setup(record.start).to_text(),
            ply=record.start.ply,
            moves=tuple(move.code for move in record.moves),
            values=tuple(move.value for move in record.moves),
            seconds=tuple(None if move.seconds is None else round(move.seconds, 3) for move in record.moves),
            processor=(black, white),
        )

    @classmethod
    def of(cls, line: GameLine, rules: Game) -> "MatchGame":
        """Return the game that `line` describes, played under `rules`."""
        ending = Ending(
            points=float(line.points),
            score=line.score,
            reason=line.reason,
            detail=line.detail,
            forfeited_by=line.forfeited_by,
        )
        moves = zip(line.moves, line.values, line.seconds, strict=True)
        record = Record(
            start=_read_start(line.start, line.ply, rules),
            moves=tuple(PlayedMove(code=code, value=value, seconds=seconds) for code, value, seconds in moves),
            black=line.names[0],
            white=line.names[1],
            date=line.date,
            score=0 if ending.points == 0.5 else ending.score,
            reason=ending.reason,
            clock=line.clock,
        )
        processor = {
            side: document.use for side, document in zip(Side, line.processor, strict=True) if document is not None
        }
        game = FinishedGame(record=record, ending=ending, processor=processor)
        return cls(number=line.game, black=line.black, white=line.white, game=game)


def _read_start(text: str, ply: int, rules: Game) -> Setup:
    description = description_of(rules)
    # The numbered form is tried first: games without a notation of their own are written in it.
    (setup,) = read_numbered(text, description) or [read(text, game=description.name)]
    return replace(setup, game=rules, ply=ply, format="match")
