"""The examples run, and do what they say."""

import re
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest

import outflank

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.interpreted_only  # compiled it is counted by its script
def test_nim_is_a_game_like_any_other(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    import nim

    board = nim.start(2, 1)
    assert nim.HEAPS == 4
    assert len(board.legal_moves) == 3
    assert outflank.perft(board, 9).leaves == 5  # 2+1: five ways to take them
    for _ in range(3):
        board.push(board.legal_moves[0])
    assert board.result() == "1-0"
    assert board.pop() == board.legal_moves[0]
    assert board.copy() == board
    assert board.canonical() == board


@pytest.mark.slow(20)
@pytest.mark.parametrize("script", sorted(EXAMPLES.glob("*.py")), ids=lambda script: script.stem)
def test_a_script_runs(script):
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.interpreted_only  # compiled it is searched by its script
def test_an_evaluation_from_outside_is_chosen_by_name(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    import own_evaluation

    lines = Path(own_evaluation.__file__).read_text().split("if __name__")[0].splitlines()
    assert len([line for line in lines if line.strip()]) < 30
    board = outflank.Board.from_text("f5d6c3")
    found = outflank.search(board, outflank.Limits(depth=2), evaluation="corners", workers=1)
    assert found.move in board.legal_moves
    own = own_evaluation.Corners(0)
    assert outflank.search(board, outflank.Limits(depth=2), evaluation=own, workers=1).depth == 2


@pytest.mark.interpreted_only  # compiled its script searches it, and two others are solved (test_example_games.py)
def test_a_game_from_outside_is_searched(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    import nim

    # Whoever faces heaps whose remainders by four (xor) are 0 has lost.
    for heaps in ((1, 2), (2, 2), (5, 1), (1, 1, 1)):
        remainder = 0
        for heap in heaps:
            remainder ^= heap % 4
        for algorithm in ("minimax", "alphabeta", "pvs", "mtdf"):
            found = outflank.search(nim.start(*heaps), algorithm=algorithm, exact=True, deepen=False, workers=1)
            assert (found.value, found.exact) == (1 if remainder else -1, True)


@pytest.mark.interpreted_only
@pytest.mark.filterwarnings("ignore:overflow encountered")  # NumPy's, of the random numbers' words
def test_estimates_need_an_evaluation_and_playouts_none(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    import nim

    assert outflank.search(nim.start(3, 4, 5), depth=3, workers=1).value_text == "+1 odd"
    monkeypatch.setattr("outflank.games.evaluation._registered", {})
    board = nim.start(1, 1, 1)
    for algorithm in ("uct", "flat"):
        found = outflank.search(board, algorithm=algorithm, nodes=200, workers=1)
        assert (found.value, found.move in board.legal_moves) == (1000, True)
    with pytest.raises(outflank.UnknownName, match=r"Nim has no evaluation: register one, or prove scores"):
        outflank.search(board, depth=2, workers=1)


CLUSTERS = EXAMPLES / "clusters"


@pytest.mark.interpreted_only
@pytest.mark.skipif(which("bash") is None, reason="needs bash")
def test_the_script_for_slurm_is_one_that_bash_understands(tmp_path):
    script = CLUSTERS / "slurm.sh"
    checked = subprocess.run(["bash", "-n", str(script)], capture_output=True, text=True)
    assert (checked.returncode, checked.stderr) == (0, "")
    without_position = subprocess.run(["bash", str(script)], capture_output=True, text=True, cwd=tmp_path)
    assert "a position, such as" in without_position.stderr


@pytest.mark.interpreted_only
@pytest.mark.parametrize("name", ["slurm.sh", "kuberay.yaml"])
def test_the_options_in_a_script_for_clusters_exist(name):
    from outflank.ui.cli.searching.search_command import command

    known = {option for parameter in command.params for option in parameter.opts}
    text = re.sub(r"\\\n#?", " ", (CLUSTERS / name).read_text())
    (line,) = re.findall(r"outflank search (.*)", text)
    used = re.findall(r"--[a-z-]+", line)
    assert "--cluster" in used
    assert set(used) <= known


@pytest.mark.interpreted_only
def test_every_process_of_the_kubernetes_cluster_has_the_token():
    yaml = pytest.importorskip("yaml")
    cluster, policy = yaml.safe_load_all((CLUSTERS / "kuberay.yaml").read_text())
    groups = [cluster["spec"]["headGroupSpec"], *cluster["spec"]["workerGroupSpecs"]]
    for group in groups:
        template = group["template"]
        (container,) = template["spec"]["containers"]
        environment = {variable["name"]: variable["value"] for variable in container["env"]}
        assert environment["RAY_AUTH_MODE"] == "token"
        mounted = container["volumeMounts"][0]["mountPath"]
        for name in ("RAY_AUTH_TOKEN_PATH", "OUTFLANK_CLUSTER_TOKEN"):
            assert environment[name] == f"{mounted}/token"
        assert template["spec"]["volumes"][0]["secret"]["secretName"] == "outflank-token"
        labels = template["metadata"]["labels"]
        assert policy["spec"]["podSelector"]["matchLabels"] == labels  # nobody else may connect
        assert policy["spec"]["ingress"] == [{"from": [{"podSelector": {"matchLabels": labels}}]}]
