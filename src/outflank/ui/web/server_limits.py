"""Resources and limits of a web server."""

from dataclasses import dataclass
from pathlib import Path

MOST_MOVE_SECONDS = 60.0
"""Maximum time of a computer's move in seconds, even if the player's settings allow more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of one server."""

    games: Path
    """File with the saved games."""
    reports: Path
    """Folder of the laboratory's reports."""
    indexes: tuple[Path, ...] = ()
    """Indexes of games, for the explorer. Files that do not exist are left out until they do."""
    workers: int
    """Maximum number of threads that search at a time."""
    puzzles: Path | None = None
    """File of puzzles, or None for the bundled ones."""
    most_connections: int = 200
    most_searches: int = 64
    """Maximum number of analyses, comparisons and reviews at a time. Moves of computer players are not counted."""
    messages_a_second: float = 40.0
    """Maximum average number of messages per second from a connection."""
    messages_at_once: int = 200
    """Maximum number of messages from a connection in a burst."""
    slow_seconds: float = 20.0
    """Seconds that a client has to read a message before its connection is closed."""
    texts_at_a_time: int = 2
    """Number of threads that parse pasted texts."""
    most_texts: int = 32
    """Maximum number of pasted texts that are parsed or queued. Further texts are refused."""
    most_games: int = 2000
    """Maximum number of games and positions in one pasted text."""
    text_seconds: float = 10.0
    """Seconds allowed for parsing a pasted text, including its time in the queue."""
    pace_seconds: float = 0.25
    """Shortest time of a computer's move in seconds, so that users can follow the game."""
