"""The page of a reviewed game: the value over the game first, then boards where it went wrong, then every move."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from outflank.boards import Board
from outflank.games.description import Marks, description_of, unit_of
from outflank.lab.drawing.looks import escape, scoped
from outflank.lab.drawing.page import SCOPE, whole_page
from outflank.lab.drawing.parts import facts_part, figure_part, table_part
from outflank.lab.report import Plot, ReportTable, Sample, Series
from outflank.players.review import Judged
from outflank.players.story import Story

MOST_BOARDS = 12
"""Boards on a page: of more mistakes the costliest."""

RULES = """
.boards {display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,17em),1fr));gap:1.2em}
.boards figure {max-width:24em;break-inside:avoid}
.boards figcaption {color:inherit}
.boards h3 {margin:0 0 .3em}
.moves {overflow-wrap:anywhere}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """A game and what was found in it."""

    board: Board[Any]
    """As the game ended, with its moves."""
    title: str
    judged: Sequence[Judged]
    marks: Marks
    story: Story
    conclusions: Sequence[str]
    """What is to be said of the whole game, a sentence each."""
    told: Callable[[Judged], str]
    """A move beside the best one, in words."""
    rows: Sequence[Sample]
    """Every move, for the table."""

    @property
    def plot(self) -> Plot:
        """The value over the game."""
        values = dict(self.story.values)
        wrong = tuple((each.ply, values[each.ply]) for each in self.wrong)
        return Plot(
            title="value over the game",
            x="move",
            y=f"black's value ({unit_of(self.board.game).name})",
            series=(
                Series(name="after the move", points=self.story.values),
                Series(name="mistakes and turning points", points=wrong, style="points"),
            ),
        )

    @property
    def shown(self) -> list[Judged]:
        """The moves that get a board: turning points before all, then what cost most; as they were played."""
        wrong = sorted(self.wrong, key=lambda each: (not self.turned(each), -each.loss))
        return sorted(wrong[:MOST_BOARDS], key=lambda each: each.ply)

    @property
    def wrong(self) -> list[Judged]:
        """Mistakes and turning points."""
        return [each for each in self.judged if self.turned(each) or each.loss >= self.marks.mistake]

    def turned(self, each: Judged) -> bool:
        """Whether a move changed who wins."""
        return each in self.story.turning_points


def review_html(review: Reviewed, provenance: dict[str, Any]) -> str:
    """The whole page."""
    said = "".join(f"<li>{escape(line)}</li>" for line in review.conclusions)
    start = review.board.copy()
    while start.moves:
        start.pop()
    game = {"start": start.to_text(), "moves": " ".join(map(str, review.board.moves)), "result": review.board.result()}
    parts = [
        f"<header><h1>{escape(review.title)}</h1></header>",
        f"<section>{figure_part(review.plot)}</section>",
        f"<section><h2>Findings</h2><ul>{said}</ul></section>",
        _boards(review),
        f"<section><h2>Every move</h2>{table_part(ReportTable.of('moves', review.rows))}</section>",
        facts_part("The game", game),
        facts_part("Provenance", provenance),
    ]
    return whole_page(review.title, "".join(parts), style=scoped(SCOPE, RULES))


def _boards(review: Reviewed) -> str:
    shown = review.shown
    if not shown:
        return ""
    wrong = len(review.wrong)
    left_out = f" {len(shown)} of {wrong}: turning points, then what cost most." if wrong > len(shown) else ""
    how = description_of(review.board.game).pictured
    key = f"Before the move{f': {how}' if how else ''}.{left_out}"
    figures = "".join(_board(review, each) for each in shown)
    heading = "<h2>Where it went wrong</h2>"
    return f'<section>{heading}<p class="soft">{escape(key)}</p><div class="boards">{figures}</div></section>'


def _board(review: Reviewed, each: Judged) -> str:
    before = review.board.copy()
    while before.ply >= each.ply:
        before.pop()
    turned = " (turning point)" if review.turned(each) else ""
    heading = f"{each.ply}. {each.side} {each.move}{review.marks.of(each.loss)}{turned}"
    better = each.best if each.best != each.move else None
    drawn = before.svg(width=320, legal=False, played=each.move, better=better)
    caption = f"<figcaption>{escape(review.told(each))}</figcaption>"
    return f"<figure><h3>{escape(heading)}</h3>{drawn}{caption}</figure>"
