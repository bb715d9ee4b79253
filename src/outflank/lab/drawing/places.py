"""The searched positions on a page: pictures of the first ones, and their searches."""

from collections.abc import Sequence
from typing import Any

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.lab.drawing.looks import escape
from outflank.lab.search_log import Searched, SearchedPosition, by_position

DRAWN = 6
"""Most positions with a picture."""
OPEN = 12
"""Most positions that are visible at first; the others are folded."""

RULES = """
.places {display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,28em),1fr));gap:1em 2em}
.place {display:flex;flex-wrap:wrap;gap:.5em 1em;align-items:flex-start;min-width:0}
.place svg {display:block;width:9em;height:auto;flex:none}
.place div {flex:1 1 14em;min-width:0;font-size:1em}
.place div ul {margin:.25em 0 0;padding:0 0 0 1.1em;font-size:.9em}
.place summary {margin:0;color:var(--soft)}
.place code {font:.85em/1.4 ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.place code {background:none;color:inherit;padding:0}
"""


def searched_html(searched: Sequence[Searched]) -> str:
    """Return the searches as HTML, position by position."""
    places = by_position(searched)
    cards = [_card(place, drawn=index < DRAWN) for index, place in enumerate(places)]
    visible = f'<div class="places">{"".join(cards[:OPEN])}</div>'
    if len(cards) <= OPEN:
        return visible
    rest = f'<div class="places">{"".join(cards[OPEN:])}</div>'
    return f"{visible}<details><summary>{len(cards) - OPEN:,} more positions</summary>{rest}</details>"


def _card(place: SearchedPosition, *, drawn: bool) -> str:
    items = []
    for description, games in place.lines:
        moves = "".join(f"<p><code>{escape(game)}</code></p>" for game in games)
        folded = f"<details><summary>the moves</summary>{moves}</details>" if games else ""
        items.append(f"<li>{escape(description)}{folded}</li>")
    try:
        board: Board[Any] | None = Board.from_text(place.position)
    except OutflankError:  # a user's game without a notation
        board = None
    turn = f"{board.turn} to move" if board is not None else ""
    name = ", ".join(part for part in (place.game.title(), place.name, turn) if part)
    picture = board.svg(width=200, legal=False) if board is not None and drawn else ""
    heading = f"<strong>{escape(name)}</strong><br/><code>{escape(place.position)}</code>"
    return f'<div class="place">{picture}<div>{heading}<ul>{"".join(items)}</ul></div></div>'
