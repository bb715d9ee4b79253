"""The first step of learning: generating positions from varied games, stored in `positions.npz`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from outflank.boards import Board
from outflank.errors import FormatError, InvalidOption, OutflankError, reason_of
from outflank.formats.game_files import read_records
from outflank.games.description import description_of
from outflank.games.rules import MOVE, pack
from outflank.learning.node_pieces import PieceRequest, ask
from outflank.learning.pieces import Arrays, Step, Work, read_arrays, write_arrays
from outflank.learning.selfplay import Beginnings, Playing, Positions, Rows, concatenated
from outflank.learning.step_documents import GenerateSettings, PositionsDocument
from outflank.learning.subject import Judge, Subject, digest
from outflank.search.table import NO_MOVE

POSITIONS, PER_GAME = 50_000, 4
MOST_POSITIONS = 100_000_000

NAMES = Positions.__slots__
FILE = "positions.npz"


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """Options for generating positions."""

    start: Board
    """Board with the rules and the starting position of the games."""
    everywhere: bool = True
    """Whether games start from all starting positions of the game under these rules, or only from `start`."""
    seed: int = 1
    positions: int = POSITIONS
    per_game: int = PER_GAME
    """Limit on the number of positions from one game, because positions of one game are similar."""
    depth: int = 1
    """Search depth of both sides in the generated games, in plies."""
    evaluation: str | None = None
    """Evaluation of both sides in these games; None: the game's choice for the first generation, or random moves."""
    games: tuple[Path, ...] = ()
    """Files of recorded games. The generated games begin with moves of the recorded games."""

    def __post_init__(self) -> None:
        if not 1 <= self.positions <= MOST_POSITIONS:
            raise InvalidOption(f"{self.positions:,} positions: 1 to {MOST_POSITIONS:,}")
        if not 1 <= self.per_game <= 100 or not 1 <= self.depth <= 8:
            raise InvalidOption("of a game 1 to 100 positions are taken, and players look 1 to 8 plies ahead")
        if not 0 <= self.seed < 1 << 62:
            raise InvalidOption(f"seed {self.seed}: a whole number from 0 on")


def generate(folder: Path, generation: Generation, work: Work) -> PositionsDocument:
    """Generate positions in a training folder, or continue an interrupted run; return the document of the positions."""
    subject = Subject(generation.start.game)
    judge = Judge(subject, generation.evaluation or subject.learning.first)
    beginnings = _beginnings(subject, generation, work)
    step = Step(folder, "positions")
    planned = PositionsDocument(settings=_settings(generation, subject, judge, beginnings))
    with step.open(planned, folder / FILE, work) as complete:
        if complete is not None:
            return complete
        playing = Playing(
            subject,
            judge,
            beginnings,
            seed=generation.seed,
            depth=generation.depth,
            per_game=generation.per_game,
        )
        positions = _played(playing, generation, step, work)
        write_arrays(folder / FILE, {name: getattr(positions, name) for name in NAMES})
        finished = PositionsDocument(
            settings=planned.settings,
            complete=True,
            positions=len(positions),
            games=len(np.unique(positions.game)),
            by_stage=tuple(np.bincount(positions.stage, minlength=subject.rows).tolist()),
            check=digest(*(getattr(positions, name) for name in NAMES)),
        )
        step.finish(finished)
        return finished


def _played(playing: Playing, generation: Generation, step: Step, work: Work) -> Positions:
    """Play groups of games until there are enough positions. A game may yield fewer than `per_game`."""
    parts: list[Positions] = []
    goal = generation.positions

    def group(number: int) -> Positions:
        def make() -> Arrays:
            positions = playing.group(number) if work.tasks is None else _group_on_node(playing, number, work)
            return {name: getattr(positions, name) for name in NAMES}

        arrays = step.piece(f"{number:06}", NAMES, make)
        return Positions(*(arrays[name] for name in NAMES))

    while (have := sum(map(len, parts))) < goal:
        per_group = max(1.0, have / len(parts)) if parts else playing.most_positions
        more, first = int(np.ceil((goal - have) / per_group)), len(parts)

        def tell(done: int, have: int = have, more: int = more) -> None:
            work.progress(f"generate: {have + done * (goal - have) // more:,} of {goal:,} positions")

        new_parts = work.map(lambda number, first=first: group(first + number), more, tell)  # type: ignore[misc]
        if not sum(map(len, new_parts)):
            raise OutflankError("no game has a position with a choice of moves: there is nothing to learn")
        parts += new_parts
    whole = concatenated(parts)
    return Positions(*(getattr(whole, name)[:goal] for name in NAMES))


def _group_on_node(playing: Playing, number: int, work: Work) -> Positions:
    """Return the positions of group `number`, whose games a node of the cluster plays."""
    assert work.tasks is not None
    beginnings, lines = playing.beginnings.of_group(number)
    request = PieceRequest(
        kind="games",
        subject=playing.subject,
        judge=playing.judge,
        arrays={"starts": beginnings.starts, "lines": beginnings.lines, "first": beginnings.first},
        numbers={"group": number, "seed": playing.seed, "depth": playing.depth, "per_game": playing.per_game},
        names=NAMES,
    )
    arrays = ask(work.tasks, request, work.stop)
    positions = Positions(*(arrays[name] for name in NAMES))
    # The node numbers recorded games from 0, because it has only those of the group.
    return replace(positions, game=lines[positions.game].astype(np.int32)) if len(lines) else positions


def settings_of(generation: Generation, work: Work) -> GenerateSettings:
    """Return the settings as they are stored in the document of the positions."""
    subject = Subject(generation.start.game)
    judge = Judge(subject, generation.evaluation or subject.learning.first)
    return _settings(generation, subject, judge, _beginnings(subject, generation, work))


def _settings(generation: Generation, subject: Subject, judge: Judge, beginnings: Beginnings) -> GenerateSettings:
    return GenerateSettings(
        game=subject.description.name,
        rules=subject.description.rules_as_json(subject.rules),
        start="each" if len(beginnings.starts) > 1 else generation.start.to_text(),
        seed=generation.seed,
        positions=generation.positions,
        per_game=generation.per_game,
        depth=generation.depth,
        judge=judge.source,
        games=digest(beginnings.starts, beginnings.lines) if generation.games else None,
    )


def _beginnings(subject: Subject, generation: Generation, work: Work) -> Beginnings:
    if generation.games:
        return _read_games(subject, generation.games, work)
    boards = [generation.start]
    if generation.everywhere:
        starts = (make() for make in subject.description.variants.starts.values())
        boards += [board for board in starts if board.game == subject.rules and board != generation.start]
    words = [pack(board.game, board.position) for board in boards]
    return Beginnings(np.array(words, np.uint64), np.zeros((0, 0), MOVE))


_read: dict[tuple[object, ...], Beginnings] = {}
"""Cache of the recorded games that were read last, because every generation reads the same files."""


def _read_games(subject: Subject, files: Sequence[Path], work: Work) -> Beginnings:
    """Return the recorded games that were played on the subject's board. The rules of scoring may differ."""
    try:
        key = (type(subject.rules), *subject.rules, *((file, file.stat().st_mtime_ns) for file in files))
    except OSError as error:
        raise OutflankError(f"{error.filename}: {reason_of(error)}") from None
    if key not in _read:
        beginnings = _all_games(subject, files, work)
        _read.clear()
        _read[key] = beginnings
    return _read[key]


def _all_games(subject: Subject, files: Sequence[Path], work: Work) -> Beginnings:
    starts, lines = [], []
    for file in files:
        try:
            for record in read_records(file):
                learning = description_of(record.start.game).search.learning
                rules = record.start.game
                if learning is None or not learning.suits(rules) or learning.patterns(rules) != subject.patterns:
                    continue
                starts.append(pack(rules, record.start.position))
                lines.append([move.code for move in record.moves])
                if not len(lines) % 1000:
                    work.check()
                    work.progress(f"generate: {len(lines):,} games read")
        except OSError as error:
            raise OutflankError(f"{file}: {reason_of(error)}") from None
        except FormatError as error:
            raise FormatError(f"{file}: {error}") from None
    if not lines:
        raise OutflankError(f"{', '.join(map(str, files))}: no game of {subject.title} is there")
    room = np.full((len(lines), max(map(len, lines))), NO_MOVE, MOVE)
    for row, codes in zip(room, lines, strict=True):
        row[: len(codes)] = codes
    return Beginnings(np.array(starts, np.uint64), room)


def read_positions(folder: Path) -> tuple[PositionsDocument, Subject, Positions]:
    """Return the document, the subject and the positions that a training folder stores."""
    document = Step(folder, "positions").read(PositionsDocument, "outflank train generate")
    subject = Subject.read(document.settings.game, document.settings.rules)
    positions = Positions(*read_arrays(folder / FILE, NAMES, "outflank train generate"))
    if digest(*(getattr(positions, name) for name in NAMES)) != document.check:
        raise OutflankError(f"{folder / FILE} is not what positions.json speaks of: outflank train generate --replace")
    return document, subject, positions


def select_rows(positions: Positions, rows: Rows) -> Positions:
    """Return the positions with the row numbers `rows`."""
    return replace(positions, **{name: getattr(positions, name)[rows] for name in NAMES})
