"""Visits that end at any moment: `python -m tests.web_visits [COUNT] [SEED]`.

Each connects, asks for some of what a page asks for, and leaves at a random moment: by a close, by a reset, or in the
middle of a message. In the end `/health` must count no connection and no search. A test makes some
(`test_web_connections.py`).
"""

import json
import logging
import random
import socket
import struct
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from websockets.exceptions import ConnectionClosed

from tests.web_server import Page, Served, serving

AT_A_TIME = 8
"""Visits that overlap."""

RESET = struct.pack("ii", 1, 0)
"""The value of SO_LINGER with which a close resets the connection."""


def visit(served: Served, seed: int) -> None:
    """Connect, ask, and leave."""
    chance = random.Random(seed)
    with served.page() as page:
        game = page.new(options={"size": 4})
        if chance.random() < 0.5:
            game = page.play(game, game["legal"][0]["move"])
        if chance.random() < 0.8:
            page.send("analyse", id=game["id"], node=game["node"], moves=4, options={"depth": chance.randint(1, 9)})
        if chance.random() < 0.2:
            page.send("sit", id=game["id"], seats={"black": "random", "white": "computer depth=1"})
        if chance.random() < 0.3:
            page.send("games")
        until = time.monotonic() + chance.uniform(0.0, 0.3)
        while (left := until - time.monotonic()) > 0:
            try:
                page.socket.recv(timeout=left)
            except TimeoutError:
                break
            except ConnectionClosed:
                return
        _leave(page, chance)


def _leave(page: Page, chance: random.Random) -> None:
    raw = page.socket.socket
    way = chance.randrange(4)
    if way == 0:
        return  # by the closing handshake
    if way == 1:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    if way == 2:
        raw.sendall(b"\x81\xfe\x01\x00half a frame")
    raw.shutdown(socket.SHUT_RDWR)
    raw.close()


def make_visits(served: Served, count: int, seed: int) -> dict[str, Any]:
    """Make so many visits, and wait until nothing is left of them; what `/health` says then."""
    # The client complains about sockets that are closed under it.
    logging.getLogger("websockets.client").setLevel(logging.CRITICAL)
    with ThreadPoolExecutor(AT_A_TIME) as threads:
        list(threads.map(lambda number: visit(served, seed + number), range(count)))
    return wait_for_health(served)


def wait_for_health(served: Served) -> dict[str, Any]:
    """What `/health` says once nobody is connected; fails where somebody stays."""

    def health() -> dict[str, Any]:
        found: dict[str, Any] = json.loads(served.get("/health").body)
        return found

    served.until(lambda: health()["connections"] == 0 and health()["searches"] == 0)
    return health()


def main(count: int = 2_000, seed: int = 1) -> None:
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as served:
        begun = time.monotonic()
        left = make_visits(served, count, seed)
        print(f"{count:,} visits in {time.monotonic() - begun:.0f} s, and then {left}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
