"""The commands of a human in a game, and the replies to unknown words."""

from outflank.errors import OutflankError, UnknownName, suggestion

HELP = (
    "a move in any notation ({asks}), or: hint (the three best moves), eval (what the best is worth), "
    "moves (the legal ones), undo, flip (change sides), save FILE, load FILE [NUMBER], resign, quit. "
    "Ctrl-C clears the line; while the computer thinks it makes it move now; pressed again, or on an empty line, "
    "it leaves the game, as Ctrl-D does"
)
"""Reply to `help`; `{asks}` is the game's description of a move."""

COMMANDS = ("help", "hint", "eval", "moves", "undo", "flip", "save", "load", "resign", "quit")

WITH_FILE = ("save", "load")
"""Commands that are followed by a file name."""

AFTERWARDS = ("save", "review", "again", "undo", "quit")
"""Commands after the end of a game."""

HELP_AFTERWARDS = "save FILE keeps the game, review goes through it, again plays another, undo takes back, quit leaves"


def refusal_text(word: str, error: OutflankError) -> str:
    """Return the reply to a word that is neither a command nor a move; `error` is why it is no move."""
    if word in AFTERWARDS:
        return f"{word!r} is for a game that is over"
    return f"{error}{suggestion(word, COMMANDS)}"


def refuse_afterwards(word: str) -> None:
    """Raise an error for a word that is not possible after the end of a game."""
    if word in COMMANDS:
        raise OutflankError(f"the game is over: no {word!r} now ({HELP_AFTERWARDS})")
    raise UnknownName.among("command", word, AFTERWARDS)
