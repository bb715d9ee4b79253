"""The file of a certificate: the value of a position, and a strategy for each side that guarantees it.

A strategy is one move for each reachable position in which its side is to move. Positions are not stored:
`proofs.frontier` enumerates them level by level in sorted order, so that six million moves take a few megabytes. A
strategy ends at its leaves, the positions with `leaf` moves left. A checker searches the leaves itself.

The first line of the file is a `Header` in JSON. The moves follow, one byte for each move; each level is compressed
separately. The last part is the SHA-256 digest of all bytes before it.
"""

import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta, Struct

from outflank.boards import Board
from outflank.errors import OutflankError, reason_of
from outflank.formats.files import write_whole
from outflank.formats.recognise import read
from outflank.games.description import description_of, game_named
from outflank.proofs.frontier import InvalidProof, Moves
from outflank.validation.documents import Count, Document, decoded, encoded
from outflank.validation.values import Misfit

DIGEST_BYTES = 32
LONGEST_HEADER = 1 << 20
MOST_LEVELS = 256

Score = Annotated[int, Meta(ge=-(1 << 15), le=1 << 15)]
Left = Annotated[int, Meta(ge=0, lt=MOST_LEVELS)]


class LevelHeader(Struct, frozen=True, kw_only=True):
    """Sizes of one level of a strategy: the number of moves, and of the compressed bytes that hold them."""

    left: Left
    moves: Count
    bytes: Count


class StrategyHeader(Struct, frozen=True, kw_only=True):
    """Describes one strategy of a certificate: its side, its depth and the sizes of its levels."""

    side: Literal["mover", "other"]
    """Side that guarantees the value: the side to move in the proved position, or the other side."""
    leaf: Left
    """Number of moves left at the strategy's leaves."""
    levels: list[LevelHeader]


class Header(Document, frozen=True, kw_only=True, tag="outflank/proof/1"):
    """First line of a certificate: the position, its proved value, and the sizes of the parts that follow."""

    game: str
    options: dict[str, int | str]
    """Options of the rules, as returned by `variants.options_of` of the game's description."""
    position: str
    """The proved position, in the game's notation."""
    value: Score
    """Proved value for the side to move."""
    strategies: list[StrategyHeader]


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy:
    """One side's moves: an array for each number of moves left, in the order of the sorted positions."""

    mover: bool
    """Whether the strategy's side is to move in the proved position."""
    leaf: int
    moves: Mapping[int, Moves]


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """A position, its value, and the strategies of both sides that prove it."""

    board: Board
    value: int
    strategies: tuple[Strategy, ...]

    def to_bytes(self) -> bytes:
        """Return the content of the certificate's file."""
        parts: list[bytes] = []
        headers = []
        for strategy in self.strategies:
            levels = []
            for left, moves in sorted(strategy.moves.items(), reverse=True):
                parts.append(zlib.compress(moves.tobytes(), 9))
                levels.append(LevelHeader(left=left, moves=len(moves), bytes=len(parts[-1])))
            side: Literal["mover", "other"] = "mover" if strategy.mover else "other"
            headers.append(StrategyHeader(side=side, leaf=strategy.leaf, levels=levels))
        description = description_of(self.board.game)
        header = Header(
            game=description.name,
            options=dict(description.variants.options_of(self.board.game)),
            position=self.board.to_text(),
            value=self.value,
            strategies=headers,
        )
        content = b"".join([encoded(header), b"\n", *parts])
        return content + hashlib.sha256(content).digest()

    def write(self, path: Path) -> int:
        """Write the certificate to a file, and return its size in bytes."""
        content = self.to_bytes()
        try:
            write_whole(path, content)
        except OSError as error:
            raise OutflankError(f"{path}: {reason_of(error)}") from None
        return len(content)


def read_certificate(path: Path) -> Certificate:
    """Return the certificate in a file. The proof is not checked."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise OutflankError(f"{path}: {reason_of(error)}") from None
    return certificate_of(content)


def certificate_of(content: bytes) -> Certificate:
    """Return the certificate in `content`. It is checked to be complete and undamaged, but the proof is not checked."""
    line, newline, _ = content[:LONGEST_HEADER].partition(b"\n")
    if not newline or not line.startswith(b'{"schema":"outflank/proof/1"'):
        raise InvalidProof("this is no proof: it does not begin with a line of outflank/proof/1")
    if hashlib.sha256(content[:-DIGEST_BYTES]).digest() != content[-DIGEST_BYTES:]:
        raise InvalidProof("the file is damaged: its digest is that of another content")
    try:
        header = decoded(Header, line)
    except Misfit as error:
        raise InvalidProof(f"the first line is damaged: {error}") from None
    board = _board(header)
    offset, strategies = len(line) + 1, []
    for strategy_header in header.strategies:
        moves: dict[int, Moves] = {}
        for level in strategy_header.levels:
            if level.left in moves:
                raise InvalidProof(f"the moves with {level.left} left are there twice")
            end = offset + level.bytes
            if end > len(content) - DIGEST_BYTES:
                raise InvalidProof("the file ends before the moves that its first line tells of")
            moves[level.left] = _moves(content[offset:end], level)
            offset = end
        strategies.append(Strategy(mover=strategy_header.side == "mover", leaf=strategy_header.leaf, moves=moves))
    if offset != len(content) - DIGEST_BYTES:
        raise InvalidProof(
            f"{len(content) - DIGEST_BYTES - offset:,} bytes follow the moves that the first line tells of"
        )
    return Certificate(board=board, value=header.value, strategies=tuple(strategies))


def _board(header: Header) -> Board:
    """Return the proved position, under the rules that the header gives."""
    try:
        description, setup = game_named(header.game), read(header.position, game=header.game)
        game, with_options = setup.game, description.variants.with_options
        if with_options is not None:
            game = with_options(game, header.options)
        board = Board.from_setup(setup.with_game(game))
    except OutflankError as error:
        raise InvalidProof(f"the position cannot be read: {error}") from None
    if dict(description.variants.options_of(board.game)) != header.options or board.to_text() != header.position:
        raise InvalidProof(f"the position is not one of {description.title} under such rules, written as it would be")
    return board


def _moves(compressed: bytes, level: LevelHeader) -> Moves:
    """Return the moves of a level. At most one byte more than the header announces is unpacked."""
    decompressor = zlib.decompressobj()
    try:
        content = decompressor.decompress(compressed, level.moves + 1)
    except zlib.error:
        raise InvalidProof(f"the moves with {level.left} left cannot be unpacked") from None
    if len(content) != level.moves or not decompressor.eof or decompressor.unused_data:
        raise InvalidProof(f"the moves with {level.left} left are not {level.moves:,}, as the first line says")
    return np.frombuffer(content, np.uint8)
