"""Clusters of several machines with addresses of their own: joining, TLS, searching, a partition, leaving."""

import json
from importlib.util import find_spec

import pytest

from outflank import OthelloBoard
from outflank.search.whole_search import search
from tests.network_machines import PORT, can_make_machines, network

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray"),  # not by importing it: that takes long
    pytest.mark.skipif(not can_make_machines(), reason="needs network namespaces, and the right to make them"),
]

DEPTH = 10
SEARCH = ("search", "--depth", str(DEPTH), "--workers", "1", "--threshold", "6")


@pytest.mark.slow(60)
def test_machines_join_search_are_cut_off_and_leave(tmp_path):
    alone = search(OthelloBoard.start(), depth=DEPTH, workers=1)
    with network(3, tmp_path) as (head, *others):
        address = f"{head.host}:{PORT}"
        told = head.run("cluster", "up", "--host", head.host, "--cores", "1", "--tls")
        assert "its traffic is encrypted" in told
        others[0].copy_secret(head, "cluster-token")
        assert "without TLS, for which its authority would have to be here" in others[0].fails(
            "cluster", "join", address
        )
        for machine in others:
            for name in ("cluster-token", "cluster-authority.pem"):
                machine.copy_secret(head, name)
            machine.run("cluster", "join", address, "--cores", "1")
        status = head.last("cluster", "status")
        assert {node["host"] for node in status["clusters"][0]["nodes"]} == {head.host, *(m.host for m in others)}

        def check(found):
            assert (found["value"], found["move"], found["depth"]) == (alone.value, str(alone.move), DEPTH)

        found = head.last(*SEARCH, "--cluster", f"ray://{address}")
        check(found)
        assert len(found["cluster"]["nodes"]) == 3

        # From a machine that is no member yet, and while one that is a member cannot be reached.
        searching = head.begin(*SEARCH, "--depth", "12", "--cluster", f"ray://{address}", "--json")
        assert searching.stdout is not None
        for line in searching.stdout:
            if json.loads(line).get("depth", 0) >= 8:
                break
        others[0].cut_off()
        output, _ = searching.communicate(timeout=120)
        found = json.loads(output.splitlines()[-1])
        deeper = search(OthelloBoard.start(), depth=12, workers=1)
        assert (found["value"], found["move"]) == (deeper.value, str(deeper.move))
        others[0].put_back()

        others[1].run("cluster", "down")
        check(head.last(*SEARCH, "--cluster", f"ray://{address}"))
