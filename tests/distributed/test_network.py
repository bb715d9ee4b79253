"""Clusters of machines with addresses of their own: joining, TLS, a partition during a search, leaving."""

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

DEPTH = 12
SEARCH = ("search", "--depth", str(DEPTH), "--workers", "1", "--threshold", "6")


@pytest.mark.slow(30)
def test_machines_join_are_cut_off_during_a_search_and_leave(tmp_path):
    alone = search(OthelloBoard.start(), depth=DEPTH, workers=1)
    with network(2, tmp_path) as (head, other):
        address = f"{head.host}:{PORT}"
        told = head.run("cluster", "up", "--host", head.host, "--cores", "1", "--tls")
        assert "its traffic is encrypted" in told
        other.copy_secret(head, "cluster-token")
        assert "without TLS, for which its authority would have to be here" in other.fails("cluster", "join", address)
        other.copy_secret(head, "cluster-authority.pem")
        other.run("cluster", "join", address, "--cores", "1")

        searching = head.begin(*SEARCH, "--cluster", f"ray://{address}", "--json")
        assert searching.stdout is not None
        for line in searching.stdout:
            if json.loads(line).get("depth", 0) >= DEPTH - 4:
                break
        other.cut_off()
        output, errors = searching.communicate(timeout=120)
        found = json.loads(output.splitlines()[-1])
        assert (found["value"], found["move"], found["depth"]) == (alone.value, str(alone.move), DEPTH), errors
        assert len(found["cluster"]["nodes"]) == 2

        other.put_back()
        other.run("cluster", "down")
        status = head.last("cluster", "status")
        assert [node["host"] for node in status["clusters"][0]["nodes"] if node["alive"]] == [head.host]
