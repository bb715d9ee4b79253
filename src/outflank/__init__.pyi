"""The public names: the one list, which type checkers read as it is and `outflank` itself when a name is first used."""

from . import lab as lab
from .abalone.rules import Kind as Kind
from .boards import AbaloneBoard as AbaloneBoard
from .boards import AbaloneMove as AbaloneMove
from .boards import Board as Board
from .boards import Move as Move
from .boards import OthelloBoard as OthelloBoard
from .boards import OthelloMove as OthelloMove
from .boards import Outcome as Outcome
from .errors import FormatError as FormatError
from .errors import IllegalMove as IllegalMove
from .errors import InvalidOption as InvalidOption
from .errors import InvalidPosition as InvalidPosition
from .errors import OutflankError as OutflankError
from .errors import UnknownName as UnknownName
from .games.evaluation import register_evaluation as register_evaluation
from .games.sides import Side as Side
from .search.contract import Comparison as Comparison
from .search.contract import Limits as Limits
from .search.contract import MoveValue as MoveValue
from .search.contract import Options as Options
from .search.contract import Progress as Progress
from .search.contract import Result as Result
from .search.contract import Stop as Stop
from .search.contract import WorkerStatistics as WorkerStatistics
from .search.deepening import compare as compare
from .search.deepening import iterate as iterate
from .search.deepening import search as search
from .search.division import Scheme as Scheme
from .search.division import register_scheme as register_scheme
from .search.division import scheme_named as scheme_named
from .search.division import schemes as schemes
from .search.ordering import Ordering as Ordering
from .search.perft import Perft as Perft
from .search.perft import perft as perft
from .search.table import Table as Table

__version__: str
