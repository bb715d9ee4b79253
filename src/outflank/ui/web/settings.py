"""What a server may use, and what it allows."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Of one server."""

    games: Path
    """The file in which games are kept."""
    reports: Path
    """The folder of the laboratory's reports."""
    workers: int
    """Threads that search at a time, at most."""
    most_connections: int = 200
    most_searches: int = 64
    """Under way at a time, computers' moves not counted."""
    messages_a_second: float = 40.0
    """That a connection may send on average."""
    messages_at_once: int = 200
    """That it may send without a pause."""
    slow_seconds: float = 20.0
    """How long a connection may take to read what it is sent."""
    texts_at_a_time: int = 2
    """Threads that parse pasted texts."""
    most_texts: int = 32
    """Pasted texts that may be parsed or queued at a time; further ones are refused."""
    most_games: int = 2000
    """Maximum number of games and positions in one pasted text."""
    text_seconds: float = 10.0
    """Timeout for parsing a pasted text, including its time in the queue."""
    pace_seconds: float = 0.25
    """Between two moves of computers that play each other: people want to see them."""
