"""Boards kept in several ways have the same moves, and searches tell how many a board had at most."""

import numpy as np
import pytest

from outflank import search
from outflank.boards import Board
from outflank.games.rules import pack
from outflank.lab.experiment_boards import study_positions
from outflank.lab.measuring.board_storage import STORAGES, count_all, stored_boards
from outflank.lab.studies.storage import climb
from outflank.search.probes import Counts

BYTES = {
    "matrix of bytes": 64,
    "array of bytes": 64,
    "rows of bytes, apart, indices checked": 200,
    "array of bytes, index checked": 72,
    "rows of bytes, apart": 128,
    "two bits a square": 16,
    "two 64-bit words": 16,
}


@pytest.mark.parametrize("name", STORAGES)
def test_every_way_of_keeping_boards_has_the_same_moves(name):
    boards = [each.board for each in study_positions("othello", ("start", "midgame", "late"))]
    words = np.array([pack(board.game, board.position) for board in boards], np.uint64)
    storage, memory = stored_boards(STORAGES[name], words)
    assert memory.nbytes == BYTES[name] * len(boards)
    assert int(count_all(storage, len(boards), 2)) == 2 * sum(len(board.legal_moves) for board in boards)


def test_an_ascent_ends_on_a_board_that_has_the_moves_it_claims():
    best = np.zeros(2, np.uint64)
    most = int(climb(400, np.array([3], np.uint64), best))
    assert most > 10
    own, opp = (int(word) for word in best)
    assert own & opp == 0
    line = "".join("X" if own >> place & 1 else "O" if opp >> place & 1 else "-" for place in range(64))
    assert len(Board.from_text(f"{line} X").legal_moves) == most


@pytest.mark.compiled
def test_a_search_tells_the_most_moves_of_a_node():
    counts, other = Counts(), Counts()
    board = study_positions("othello", ("midgame",))[0].board
    search(board, depth=2, workers=1, deepen=False, algorithm="minimax", evaluation="discs", instrument=counts)
    replies = []
    for move in board.legal_moves:
        board.push(move)
        replies.append(len(board.legal_moves))
        board.pop()
    assert counts.widest[1:3] == [max(replies), len(board.legal_moves)]
    other.absorb(counts)
    assert other.widest[1:3] == [max(replies), len(board.legal_moves)]
    assert counts.widest[1:3] == [0, 0]
