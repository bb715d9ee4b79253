"""The HTML page of a reviewed game: a plot of the value, boards of mistakes, and a table of all moves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from outflank.boards import Board
from outflank.games.defaults import Marks
from outflank.games.description import description_of
from outflank.lab.drawing.looks import escape, scoped
from outflank.lab.drawing.page import SCOPE, whole_page
from outflank.lab.drawing.parts import facts_part, figure_part, table_part
from outflank.lab.experiment_report import Plot, ReportTable, Sample, Series
from outflank.players.review import JudgedMove, Story
from outflank.validation.documents import JsonObject

MOST_BOARDS = 12
"""Greatest number of mistakes that the page shows with a board."""

RULES = """
.boards {display:grid;grid-template-columns:repeat(auto-fill,minmax(13em,1fr));gap:1.2em}
.boards figure {max-width:20em;break-inside:avoid}
.boards figcaption {color:inherit}
.boards h3 {margin:0 0 .3em}
.moves {overflow-wrap:anywhere}
"""
NARROW_RULES = """
.boards {grid-template-columns:1fr}
.boards figure {display:grid;grid-template-columns:minmax(0,9em) 1fr;gap:0 1em;align-content:start;max-width:none}
.boards svg {grid-row:1/4}
.boards figure > :not(svg) {grid-column:2}
"""
"""Rules where there is no room for two boards: the boards are small, and their text is beside them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """A game with the results of its review."""

    board: Board
    """Final position of the game, with its moves."""
    title: str
    judged: Sequence[JudgedMove]
    marks: Marks
    story: Story
    conclusions: Sequence[str]
    """Sentences that summarise the review of the game."""
    describe_move: Callable[[JudgedMove], str]
    """Function that returns a sentence comparing a move with the best move."""
    rows: Sequence[Sample]
    """Table rows, one for each move."""

    @property
    def plot(self) -> Plot:
        """Plot of the value of the game's positions, move by move."""
        values = dict(self.story.values)
        points = tuple((move.ply, values[move.ply]) for move in self.mistakes)
        return Plot(
            title="value over the game",
            x="move",
            y=f"black's value ({description_of(self.board.game).scores.unit})",
            series=(
                Series(name="after the move", points=self.story.values),
                Series(name="mistakes and turning points", points=points, style="points"),
            ),
        )

    @property
    def moves_with_boards(self) -> list[JudgedMove]:
        """Moves shown with a board, in order of play. Turning points are chosen first, then the costliest mistakes."""
        by_importance = sorted(self.mistakes, key=lambda move: (not self.is_turning_point(move), -move.loss))
        return sorted(by_importance[:MOST_BOARDS], key=lambda move: move.ply)

    @property
    def mistakes(self) -> list[JudgedMove]:
        """Moves that are mistakes or turning points."""
        return [move for move in self.judged if self.is_turning_point(move) or move.loss >= self.marks.mistake]

    def is_turning_point(self, move: JudgedMove) -> bool:
        """Return whether `move` is to blame for a change between black winning, level and white winning."""
        return move in self.story.turning_points


def review_html(review: Reviewed, provenance: JsonObject) -> str:
    """Return the HTML page of a reviewed game."""
    findings = "".join(f"<li>{escape(line)}</li>" for line in review.conclusions)
    start = review.board.copy()
    while start.moves:
        start.pop()
    game = {"start": start.to_text(), "moves": " ".join(map(str, review.board.moves)), "result": review.board.result()}
    if review.board.opening:
        game["opening"] = review.board.opening
    parts = [
        f"<header><h1>{escape(review.title)}</h1></header>",
        f"<section>{figure_part(review.plot)}</section>",
        f"<section><h2>Findings</h2><ul>{findings}</ul></section>",
        _boards(review),
        f"<section><h2>Every move</h2>{table_part(ReportTable.of('moves', review.rows))}</section>",
        facts_part("The game", game),
        facts_part("Provenance", provenance),
    ]
    style = f"{scoped(SCOPE, RULES)}@media (max-width:30em){{{scoped(SCOPE, NARROW_RULES)}}}"
    return whole_page(review.title, "".join(parts), style=style)


def _boards(review: Reviewed) -> str:
    moves = review.moves_with_boards
    if not moves:
        return ""
    mistake_count = len(review.mistakes)
    omitted = (
        f" {len(moves)} of {mistake_count}: turning points, then what cost most." if mistake_count > len(moves) else ""
    )
    legend = description_of(review.board.game).presentation.review_legend
    explanation = f"Before the move{f': {legend}' if legend else ''}.{omitted}"
    figures = "".join(_board(review, move) for move in moves)
    heading = "<h2>Where it went wrong</h2>"
    return f'<section>{heading}<p class="soft">{escape(explanation)}</p><div class="boards">{figures}</div></section>'


def _board(review: Reviewed, judged: JudgedMove) -> str:
    before = review.board.copy()
    while before.ply >= judged.ply:
        before.pop()
    suffix = " (turning point)" if review.is_turning_point(judged) else ""
    heading = f"{judged.ply}. {judged.side} {judged.move}{review.marks.of(judged.loss)}{suffix}"
    better = judged.best if judged.best != judged.move else None
    svg = before.svg(width=320, legal=False, played=judged.move, better=better)
    caption = f"<figcaption>{escape(review.describe_move(judged))}</figcaption>"
    return f"<figure><h3>{escape(heading)}</h3>{svg}{caption}</figure>"
