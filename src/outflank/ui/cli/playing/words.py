"""What a human can say at the table, and what is answered to words that are none of these."""

from outflank.errors import OutflankError, UnknownName, suggestion

HELP = (
    "a move in any notation ({asks}), or: hint (the three best moves), eval (what the best is worth), "
    "moves (the legal ones), undo, flip (change sides), save FILE, load FILE [NUMBER], resign, quit. "
    "Ctrl-C clears the line; while the computer thinks it makes it move now; pressed again, or on an empty line, "
    "it leaves the game, as Ctrl-D does"
)
"""Where a game says what it asks for."""

COMMANDS = ("help", "hint", "eval", "moves", "undo", "flip", "save", "load", "resign", "quit")

WITH_FILE = ("save", "load")
"""Commands that a file's name follows."""

AFTERWARDS = ("save", "review", "again", "undo", "quit")
"""What can be done when the game is over."""

HELP_AFTERWARDS = "save FILE keeps the game, review goes through it, again plays another, undo takes back, quit leaves"


def no_move(word: str, error: OutflankError) -> str:
    """What is said of a word that is neither a command nor a move, as `error` has it."""
    if word in AFTERWARDS:
        return f"{word!r} is for a game that is over"
    return f"{error}{suggestion(word, COMMANDS)}"


def refuse_afterwards(word: str) -> None:
    """Say what is wrong with a word when the game is over."""
    if word in COMMANDS:
        raise OutflankError(f"the game is over: no {word!r} now ({HELP_AFTERWARDS})")
    raise UnknownName.among("command", word, AFTERWARDS)
