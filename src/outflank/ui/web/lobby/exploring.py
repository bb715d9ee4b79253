"""The explorer: the moves of indexed games, and of the game's built-in book, in the position that a user views."""

from pathlib import Path
from threading import Lock

from outflank.boards import Board
from outflank.books.book import Book, own_book
from outflank.books.game_index import Continuation, GameIndex, IndexedGame, explore
from outflank.games.rules import Game
from outflank.ui.web.requests import Explore
from outflank.ui.web.server_messages import Explored, ExploredGame, ExploredMove

LATEST_GAMES = 10


class Explorer:
    """The indexes of games that a server looks up, and the built-in books. Its methods may be called in any thread."""

    def __init__(self, files: tuple[Path, ...]) -> None:
        """`files` are indexes. Files that do not exist are left out until they do."""
        self._files = files
        self._lock = Lock()
        self._indexes: dict[Path, tuple[tuple[int, int], GameIndex]] = {}
        """Open indexes, each with the time of its file's last change and the file's size."""
        self._books: dict[tuple[type, Game], Book | None] = {}

    def explore(self, request: Explore, board: Board) -> Explored:
        """Return the moves in the position of `board`, and the latest games that reached it."""
        with self._lock:
            indexes = [index for index in map(self._index, self._files) if index is not None and index.fits(board.game)]
            book = self._book(board.game)
        explored = explore(board, indexes, book, most=LATEST_GAMES)
        return Explored(
            re=request.ask,
            id=request.id,
            node=request.node,
            indexed=sum(index.header.games for index in indexes),
            games=explored.games,
            moves=tuple(_explored_move(board, move, book) for move in explored.moves),
            latest=tuple(_explored_game(board, game) for game in explored.latest),
        )

    def _index(self, file: Path) -> GameIndex | None:
        """Return the index in a file, which is opened again if it has changed; None: it does not exist."""
        try:
            state = file.stat()
        except OSError:
            self._indexes.pop(file, None)
            return None
        version = (state.st_mtime_ns, state.st_size)
        known = self._indexes.get(file)
        if known is None or known[0] != version:
            known = self._indexes[file] = (version, GameIndex(file))
        return known[1]

    def _book(self, game: Game) -> Book | None:
        rules = (type(game), game)
        if rules not in self._books:
            self._books[rules] = own_book(game)
        return self._books[rules]


def _explored_move(board: Board, move: Continuation, book: Book | None) -> ExploredMove:
    value = move.book_value
    return ExploredMove(
        moves=tuple(str(board.move(code)) for code in move.codes),
        games=move.games,
        results=(move.wins, move.draws, move.losses),
        mean_score=move.mean_score,
        book_text="" if book is None or value is None else book.scale.text(value, bare=True),
    )


def _explored_game(board: Board, game: IndexedGame) -> ExploredGame:
    return ExploredGame(
        names=(game.black, game.white),
        year=game.year,
        score=game.score,
        move=str(board.move(game.code)),
        file=Path(game.file).name,
        number=game.number,
    )
