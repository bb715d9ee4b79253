"""The fifth step of learning: a match of weights against an earlier generation's weights or a named evaluation."""

from dataclasses import dataclass
from pathlib import Path

from outflank.arena import MatchStanding, Openings, Settings, Sprt, play_match
from outflank.arena.referee import CRASHED
from outflank.boards import Board
from outflank.command_lines import PROGRAM, command_line
from outflank.errors import InvalidOption, OutflankError
from outflank.games.evaluation import FROM_FILE, evaluations
from outflank.games.rules import ENDLESS_GAME, moves_left
from outflank.lab.provenance import provenance
from outflank.learning.fitting import read_fitted
from outflank.learning.generating import read_positions
from outflank.learning.pieces import Halted, Step, Work
from outflank.learning.step_documents import MatchOutcome, PlayDocument, PlaySettings
from outflank.learning.subject import Judge, Subject, digest
from outflank.players.specs import player
from outflank.user_modules import import_options
from outflank.validation.quoted_words import join_words

FOLDER = "match"
DEPTH, GAMES = 4, 200
HYPOTHESES = "0,30"


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Settings of a match between weights and an opponent."""

    against: str | None = None
    """The opponent's evaluation, a name or `patterns:FILE`; None: the game's choice for matches, or its default."""
    depth: int | None = None
    """Search depth of both players, in plies; None: the default depth, unless `seconds` is given."""
    seconds: float | None = None
    """Time per move of both players, in seconds; None: they search to a fixed depth."""
    games: int = GAMES
    """Greatest number of games. The sequential test ends the match as soon as it has decided."""
    sprt: Sprt = Sprt.parse(HYPOTHESES)  # noqa: RUF009  # frozen
    seed: int = 1

    def __post_init__(self) -> None:
        if self.depth is not None and self.seconds is not None:
            raise InvalidOption("a match at equal depth, or at equal time: give one of them")
        if not 0 <= self.games <= 1_000_000:
            raise InvalidOption(f"{self.games} games of a match: 0 to 1,000,000")
        if self.depth is not None and not 1 <= self.depth <= 60:
            raise InvalidOption(f"depth {self.depth}: 1 to 60")
        if self.seconds is not None and not 0 < self.seconds <= 3600:
            raise InvalidOption(f"{self.seconds:g} seconds for a move: more than 0, at most an hour")

    @property
    def used_depth(self) -> int | None:
        """Search depth of both players, `depth` or the default; None if the players have a time per move."""
        return DEPTH if self.depth is None and self.seconds is None else self.depth

    def command(self, folder: Path, weights: Path | None) -> str:
        """Return the command that plays this match with the weights of `folder`, or with the file `weights`."""
        limit = ["--depth", str(self.used_depth)] if self.seconds is None else ["--time", str(self.seconds)]
        words = [PROGRAM, "train", "play", *import_options(), *limit, "--sprt", f"{self.sprt.elo0},{self.sprt.elo1}"]
        words += ["--match-games", str(self.games), "--seed", str(self.seed)]
        words += [] if self.against is None else ["--against", self.against]
        words += [] if weights is None else ["--weights", str(weights)]
        return command_line([*words, "--", str(folder)])

    def words(self, evaluation: str) -> str:
        """Return the specification of a player with this evaluation."""
        limit = f"depth={self.used_depth}" if self.seconds is None else f"time={self.seconds:g}"
        return join_words(["computer", limit, "workers=1", f"evaluation={evaluation}"])


def play(
    folder: Path, match: Match, work: Work, *, weights: Path | None = None, start: Board | None = None
) -> PlayDocument:
    """Play a match with the weights of a training folder or a file, or continue it; return its document."""
    _, subject, _ = read_positions(folder)
    path = folder / subject.weights_name if weights is None else weights
    fitted = read_fitted(folder, subject)[1] if weights is None else subject.weights_in(weights)
    if not match.games:
        raise InvalidOption("0 games of a match: at least 1")
    rival = match.against or subject.learning.rival or next(iter(evaluations(subject.rules)))
    against = Judge(subject, rival)
    description = subject.description
    board = description.start(**description.variants.options_of(subject.rules)) if start is None else start
    settings = _match_settings(subject, match, board, (match.words(f"{FROM_FILE}{path}"), match.words(rival)))
    step = Step(folder, "play")
    planned = PlayDocument(
        settings=PlaySettings(
            weights=digest(fitted),
            against=against.source,
            depth=match.used_depth,
            seconds=match.seconds,
            games=settings.games,
            elo0=match.sprt.elo0,
            elo1=match.sprt.elo1,
            openings=settings.openings,
            seed=match.seed,
        ),
        rival=_evaluation_word(rival),
    )
    anew = work.replace or not step.document.exists()
    with step.open(planned, folder / FOLDER / "match.json", work) as complete:
        if complete is not None:
            return complete
        outcome = _play_games(folder, settings, work, match.command(folder, weights), anew=anew)
        finished = PlayDocument(settings=planned.settings, complete=True, rival=planned.rival, outcome=outcome)
        step.finish(finished)
        return finished


def _evaluation_word(evaluation: str) -> str:
    """Return the evaluation's name without the path of its file."""
    is_file = evaluation.startswith(FROM_FILE)
    return f"{FROM_FILE}{Path(evaluation.removeprefix(FROM_FILE)).name}" if is_file else evaluation


def _match_settings(subject: Subject, match: Match, board: Board, players: tuple[str, str]) -> Settings:
    """Return the settings of the match. The number of games is reduced if the board has too few openings."""
    endless = int(moves_left(board.game, board.position)) >= ENDLESS_GAME
    games = match.games
    while True:
        settings = Settings(
            players=players,
            start=board,
            games=games,
            seed=match.seed,
            sprt=match.sprt,
            ply_limit=subject.learning.longest if endless else None,
        )
        try:
            Openings(settings.openings, board, seed=match.seed, count=settings.rounds)
        except OutflankError:
            if games <= 2:
                raise
            games = max(2, games // 2)
        else:
            return settings


def _play_games(folder: Path, settings: Settings, work: Work, command: str, *, anew: bool) -> MatchOutcome:
    def tell(standing: MatchStanding) -> None:
        duel = standing.duel
        work.progress(
            f"play: game {standing.finished} of {standing.planned}, +{duel.wins} ={duel.draws} -{duel.losses}"
        )

    work.check()
    resume = (folder / FOLDER / "match.json").exists() and not anew
    result = play_match(
        settings,
        player,
        out=folder / FOLDER,
        resume=resume,
        replace=not resume,
        origin=provenance(command),
        concurrency=work.workers,
        progress=tell,
        stop=work.stop,
    )
    standing = result.standing
    if result.interrupted:
        raise Halted("stopped")
    for number, name in enumerate(standing.names):
        if standing.forfeits.get(number, {}).get(CRASHED):
            why = next(
                match_game.game.ending.detail for match_game in result.games if match_game.game.ending.reason == CRASHED
            )
            raise OutflankError(f"{name} crashed: {why}")
    duel, test = standing.duel, standing.test
    assert test is not None
    return MatchOutcome(
        wins=duel.wins,
        draws=duel.draws,
        losses=duel.losses,
        elo=round(duel.elo.value, 2),
        elo_low=round(duel.elo.low, 2),
        elo_high=round(duel.elo.high, 2),
        llr=round(test.llr, 4),
        decision=test.decision,
    )
