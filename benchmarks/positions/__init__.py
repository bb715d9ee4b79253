"""The fixed positions that searches are measured on, with a depth of some seconds for one worker."""

from pathlib import Path

from outflank.boards import Board

GAMES = ("othello", "abalone")


def positions(game: str) -> list[tuple[Board, int]]:
    """Twenty positions of a game, each with its depth."""
    found = []
    for line in (Path(__file__).parent / f"{game}.txt").read_text().splitlines():
        if not line.startswith("#"):
            text, _, depth = line.rpartition(";")
            found.append((Board.from_text(text.strip()), int(depth)))
    return found
