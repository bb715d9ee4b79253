"""The list of public names. Type checkers read this file; `outflank` reads it, too, when a name is first used."""

from outflank.abalone.board import AbaloneBoard as AbaloneBoard
from outflank.abalone.board import AbaloneMove as AbaloneMove
from outflank.abalone.rules import Kind as Kind
from outflank.boards import Board as Board
from outflank.boards import Move as Move
from outflank.boards import Outcome as Outcome
from outflank.boards.positions import LegalMoves as LegalMoves
from outflank.boards.positions import Positions as Positions
from outflank.boards.positions import Results as Results
from outflank.errors import FormatError as FormatError
from outflank.errors import IllegalMove as IllegalMove
from outflank.errors import InvalidOption as InvalidOption
from outflank.errors import InvalidPosition as InvalidPosition
from outflank.errors import OutflankError as OutflankError
from outflank.errors import UnknownName as UnknownName
from outflank.games.description import GameDescription as GameDescription
from outflank.games.description import register_game as register_game
from outflank.games.evaluation import register_evaluation as register_evaluation
from outflank.games.position_loops import NO_MOVE as NO_MOVE
from outflank.games.sides import Side as Side
from outflank.othello.board import OthelloBoard as OthelloBoard
from outflank.othello.board import OthelloMove as OthelloMove
from outflank.search.division import Promise as Promise
from outflank.search.division import Scheme as Scheme
from outflank.search.division import register_scheme as register_scheme
from outflank.search.division import scheme_named as scheme_named
from outflank.search.division import schemes as schemes
from outflank.search.ordering import Ordering as Ordering
from outflank.search.perft import Perft as Perft
from outflank.search.perft import perft as perft
from outflank.search.request import Limits as Limits
from outflank.search.request import Options as Options
from outflank.search.request import Stop as Stop
from outflank.search.results import Comparison as Comparison
from outflank.search.results import LiveNode as LiveNode
from outflank.search.results import MoveValue as MoveValue
from outflank.search.results import Progress as Progress
from outflank.search.results import Result as Result
from outflank.search.results import WorkerProgress as WorkerProgress
from outflank.search.results import WorkerStatistics as WorkerStatistics
from outflank.search.solving import solve as solve
from outflank.search.table import Table as Table
from outflank.search.whole_search import compare as compare
from outflank.search.whole_search import iterate as iterate
from outflank.search.whole_search import search as search

from . import forkjoin as forkjoin
from . import lab as lab

__version__: str
