"""Messages that no page would send: `python -m tests.web_hostile [COUNT] [SEED]`.

Each is a real one, spoilt, or bytes; a server of this process answers all of them, in a line where it refuses, while
another connection goes on with its game. CI sends some (`test_web_safety.py`).
"""

import json
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.web_server import Served, serving

AT_A_TIME = 50

KINDS = {
    "new": {"game": "othello", "options": {"size": 4}, "text": "b1", "seats": {"black": "random"}, "number": 1},
    "read": {"game": "othello", "options": {"size": 4}, "text": "b1", "files": [{"name": "a.ggf", "data": "ZjU="}]},
    "keep": {"game": "othello", "options": {"size": 4}, "text": "b1", "numbers": [1]},
    "place": {"game": "othello", "options": {"size": 4}, "pieces": "." * 16, "turn": "black"},
    "open": {"id": "?"},
    "sit": {"id": "?", "seats": {"black": "human", "white": "computer depth=1", "clock": "5+3"}},
    "play": {"id": "?", "node": 0, "move": "b1"},
    "go": {"id": "?", "node": 0},
    "prune": {"id": "?", "node": 1},
    "promote": {"id": "?", "node": 1},
    "resign": {"id": "?", "side": "black"},
    "games": {"before": 1.0, "find": "a", "game": "othello", "result": "*"},
    "describe": {"id": "?", "name": "a", "names": ["b", "c"], "event": "d", "date": "1998"},
    "delete": {"id": "aaaaaaaaaaaa"},
    "export": {"id": "?", "node": 0, "form": "svg"},
    "analyse": {"id": "?", "node": 0, "moves": 3, "options": {"depth": 1, "scheme": "ybw", "workers": 2}},
    "compare": {"id": "?", "node": 0, "options": {"depth": 1, "workers": 2}},
    "review": {"id": "?", "seconds": 0.01},
    "halt": {},
    "lab": {},
    "run": {"experiment": "nothing", "parameters": {"depth": "3"}},
    "cancel": {},
}
"""A message of each kind, to be spoilt."""

SPOILT: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, 10**18, 10**400, 1e308, -0.5, [], [[]], {}, {"a": {"b": []}}, ["b1"] * 50),
    *("", "x" * 500, "../..", "<script>", "\x00", "a" * 5000, "f5; rm -rf /", "$(id)", "%s%n", "١٢", "🂡"),
)


def spoilt(chance: random.Random, id: str) -> str:
    """A message with something wrong in it, or with nothing."""
    kind = chance.choice(list(KINDS))
    message: dict[str, Any] = {"kind": kind, "ask": chance.randrange(1 << 20, 1 << 21), **KINDS[kind]}
    if "id" in message and kind != "delete":
        message["id"] = id if chance.random() < 0.7 else chance.choice(["aaaaaaaaaaaa", "a", "../etc", "x" * 33])
    for _ in range(chance.choice((0, 1, 1, 2))):
        place = message
        name = chance.choice(list(place))
        if isinstance(place[name], dict) and place[name] and chance.random() < 0.7:
            place = place[name] = dict(place[name])
            name = chance.choice(list(place))
        place[name] = chance.choice(SPOILT)
    if chance.random() < 0.1:
        message[chance.choice(("more", "", "kind ", "__proto__"))] = chance.choice(SPOILT)
    text = json.dumps(message)
    if chance.random() < 0.1:
        cut = chance.randrange(len(text))
        text = text[:cut] + chance.choice(("", "}", "\\", '"', "\ud7ff")) + text[cut + chance.randrange(3) :]
    return text


def send_hostile(served: Served, count: int, seed: int) -> int:
    """Send so many, and see that each is answered; how many were refused."""
    chance = random.Random(seed)
    refused = sent = 0
    with served.page() as other, served.page() as page:
        mine = other.new()
        game = page.new(options={"size": 4})
        game = page.play(game, game["legal"][0]["move"])  # or it would be forgotten when it is left
        while sent < count:
            some = min(AT_A_TIME, count - sent)
            for _ in range(some):
                if chance.random() < 0.05:
                    page.socket.send(bytes(chance.randrange(256) for _ in range(chance.randrange(40))))
                else:
                    page.socket.send(spoilt(chance, game["id"]))
            sent += some
            # Its answer comes behind all others'.
            answer = page.ask("halt") if chance.random() < 0.5 else page.ask("open", id=game["id"])
            refused += sum(each["kind"] == "refused" for each in page.others)
            failed = [each["why"] for each in page.others if "this failed" in each.get("why", "")]
            assert not failed
            assert answer["kind"] in ("halted", "game"), answer
        assert other.play(mine, "f5")["node"] == 1
    return refused


def main(count: int = 10_000, seed: int = 1) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder), messages_a_second=1e6, messages_at_once=10**6) as served,
    ):
        print(f"{count:,} messages, {send_hostile(served, count, seed):,} of them refused")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
