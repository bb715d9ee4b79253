"""The names of Othello's openings, as players and their catalogues use them, such as Robert Gatliff's.

A name belongs to the position after the moves, in whatever order they are made, and to its mirror images. Where players
use two names, the more frequent one is first.
"""

from collections.abc import Mapping

from outflank.othello.board import OthelloBoard
from outflank.othello.rules import Othello
from outflank.othello.squares import scoring_of, size_of

OPENINGS = {
    "Diagonal": "f5f6",
    "X-square": "f5f6e6f4g7",
    "Snake / Peasant": "f5f6e6f4g6",
    "Lysons": "f5f6e6f4g6c6",
    "Pyramid / Checkerboarding Peasant": "f5f6e6f4g6c5g4g5f3e3c4",
    "Heath / Tobidashi": "f5f6e6f4g5",
    "Mimura Variation II": "f5f6e6f4g5e7f7c5e3f3c4d3c2",
    "Heath-Bat": "f5f6e6f4g5e7e3",
    "Iwasaki Variation": "f5f6e6f4g5e7d7",
    "Heath-Chimney / Mass-Turning": "f5f6e6f4g5d6",
    "Raccoon Dog": "f5f6e6f4g4",
    "Rocket": "f5f6e6f4g3",
    "Hamilton": "f5f6e6f4g3f3g4",
    "Lollipop": "f5f6e6f4g3d6",
    "Cow": "f5f6e6f4e3",
    "Chimney": "f5f6e6f4e3d6",
    "Cow Bat / Cambridge": "f5f6e6f4e3c5g5",
    "Cow Bat, Piau Continuation": "f5f6e6f4e3c5g5g3g4f3g6",
    "Melnikov": "f5f6e6f4e3c5g5g3g4f3c4",
    "Cow Bat, Kling Continuation": "f5f6e6f4e3c5g5f3g4g6g3d6f7h5h4h3e7",
    "Cow Bat, Kling Alternative": "f5f6e6f4e3c5g5d6g6",
    "Rose-v-Toth": "f5f6e6f4e3c5c4",
    "Tanida": "f5f6e6f4e3c5c4e7",
    "Aircraft / Feldborg": "f5f6e6f4e3c5c4e7g4",
    "Sailboat": "f5f6e6f4e3c5c4e7b5e2",
    "Maruoka": "f5f6e6f4e3c5c4d3f3e2",
    "Landau": "f5f6e6f4e3c5c4d3c3",
    "Buffalo / Kenichi Variation": "f5f6e6f4c3",
    "Maruoka Buffalo": "f5f6e6f4c3d7f3",
    "Tanida Buffalo": "f5f6e6f4c3d6f3c4c5b4",
    "Hokuriku Buffalo": "f5f6e6f4c3c4",
    "Wing Variation": "f5f6d3f4",
    "Semi-Wing Variation": "f5f6c4f4",
    "Parallel": "f5f4",
    "Perpendicular": "f5d6",
    "Mimura": "f5d6c5f4e3d3",
    "Shaman / Danish": "f5d6c5f4e3c6f3",
    "Inoue": "f5d6c5f4e3c6e6",
    "Iago": "f5d6c5f4e3c6e6f6",
    "Bhagat": "f5d6c5f4e3c6d7",
    "Rose": "f5d6c5f4e3c6d3f6e6d7",
    "Flat": "f5d6c5f4e3c6d3f6e6d7g4",
    "Rotating Flat": "f5d6c5f4e3c6d3f6e6d7g4c4",
    "Murakami Variation": "f5d6c5f4e3c6d3f6e6d7g4c4g6",
    "Rotating Flat, Kling Continuation": "f5d6c5f4e3c6d3f6e6d7g4c4g5c3f7d2e7f2",
    "Rose-Birth": "f5d6c5f4e3c6d3f6e6d7g3c4",
    "Brightstein": "f5d6c5f4e3c6d3f6e6d7g3c4g5c3b4e2",
    "Rose-Birdie / Rose-Tamenori": "f5d6c5f4e3c6d3f6e6d7g3c4b4",
    "Rose-Tamenori-Kling": "f5d6c5f4e3c6d3f6e6d7g3c4b4c3",
    "Greenberg / Dawg": "f5d6c5f4e3c6d3f6e6d7e7",
    "Ralle": "f5d6c5f4e3c6d3f3",
    "Horse": "f5d6c5f4d3",
    "Ganglion / No-Cat": "f5d6c4g5",
    "Swallow": "f5d6c4g5c6",
    "No-Cat Continuation": "f5d6c4g5c6c5d7d3b4c3e3f3",
    "Italian": "f5d6c4d3e6",
    "Cat": "f5d6c4d3c5",
    "Sakaguchi": "f5d6c4d3c5f4e3f3c2c6",
    "Berner": "f5d6c4d3c5f4e3f3c2b4b3",
    "Bent Ganglion": "f5d6c3g5",
    "Tiger": "f5d6c3d3c4",
    "Stephenson": "f5d6c3d3c4f4f6",
    "No-Kung": "f5d6c3d3c4f4f6g5",
    "No-Kung Continuation": "f5d6c3d3c4f4f6g5e3f3g4h3g3f2",
    "Comp'Oth": "f5d6c3d3c4f4f6f3",
    "F.A.T. Draw": "f5d6c3d3c4f4f6f3e6e7d7g6f8f7g5h6h4g4h3h5h7",
    "Lightning Bolt": "f5d6c3d3c4f4f6f3e3",
    "Kung": "f5d6c3d3c4f4f6b4",
    "Leader's Tiger": "f5d6c3d3c4f4e6",
    "Brightwell": "f5d6c3d3c4f4e3",
    "Ishii": "f5d6c3d3c4f4c5b4b5c6f3e6e3",
    "Mainline Tiger": "f5d6c3d3c4f4c5b4b5c6f3e6e3g6f6g5d7g3",
    "Rose-Bill": "f5d6c3d3c4f4c5b3c2",
    "Tamenori": "f5d6c3d3c4f4c5b3c2e6",
    "Central Rose-Bill / Dead Draw": "f5d6c3d3c4f4c5b3c2b4",
    "Aubrey / Tanaka": "f5d6c3d3c4b3",
    "Aubrey, Feldborg Continuation": "f5d6c3d3c4b3d2f4",
}
"""Moves from the start, with which an opening is usually written, by the opening's name."""


def named_openings(game: Othello) -> Mapping[str, OthelloBoard]:
    """Return the boards after the moves of the named openings; there are none on small boards."""
    if size_of(game) != 8:
        return {}
    boards = {"": OthelloBoard.start(scoring=scoring_of(game))}
    for moves in sorted(OPENINGS.values()):
        known = max((moves[:length] for length in range(0, len(moves), 2) if moves[:length] in boards), key=len)
        for length in range(len(known), len(moves), 2):
            boards[moves[: length + 2]] = boards[moves[:length]].copy()
            boards[moves[: length + 2]].push(moves[length : length + 2])
    return {name: boards[moves] for name, moves in OPENINGS.items()}
