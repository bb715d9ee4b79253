"""Work on a GPU: what the simulator of Numba shows of it without one, and what is said where there is none."""

import os
import subprocess
import sys

import pytest

from outflank.errors import UnknownName
from outflank.gpu import device
from outflank.gpu.choosing import on_device, settled_device
from outflank.gpu.troubles import DeviceTrouble, NoDevice
from outflank.ui.cli import main

SIMULATED = """
import numpy as np
from outflank.learning.fit import Examples, fit

lots = np.random.default_rng(7)
rows, columns, weights = 60, 5, 12
indices = lots.integers(0, weights, (rows, columns)).astype(np.int32)
indices[:, 0] = 3  # one that all have
examples = Examples(indices, lots.normal(size=rows).astype(np.float32))
prior = np.zeros(weights, np.float32)
here, there = (fit(examples, prior, passes=2, device=device) for device in ("cpu", "gpu"))
assert here.any() and here.tobytes() == there.tobytes(), (here, there)
print("the same bits")
"""


@pytest.mark.plain
@pytest.mark.early(4)
def test_weights_fitted_on_a_device_are_those_of_a_cpu() -> None:
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", SIMULATED], env=environment, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("the same bits\n", "")


@pytest.mark.plain
def test_without_a_device_one_line_says_so(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.setattr(device.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit) as left:
        main(["train", "fit", str(tmp_path), "--device", "gpu"])
    out, err = capsys.readouterr()
    assert (left.value.code, out) == (2, "")
    assert err.startswith("outflank: device gpu: numba-cuda is missing")
    assert len(err.splitlines()) == 1
    assert not list(tmp_path.iterdir())


@pytest.fixture
def no_device(monkeypatch) -> None:
    def check() -> None:
        raise NoDevice("device gpu: there is none")

    monkeypatch.setattr(device, "check_device", check)


@pytest.mark.plain
def test_where_there_is_a_device_it_does_what_is_asked_of_it(monkeypatch) -> None:
    monkeypatch.setattr(device, "check_device", lambda: None)
    assert [on_device(asked, lambda: "there", lambda: "here") for asked in ("cpu", "gpu", "gpu-or-cpu")] == [
        "here",
        "there",
        "there",
    ]
    assert settled_device("gpu-or-cpu") == "gpu-or-cpu"


@pytest.mark.plain
def test_the_cpu_goes_on_only_if_it_was_asked_to(no_device) -> None:
    with pytest.raises(NoDevice):
        on_device("gpu", lambda: "there", lambda: "here")
    with pytest.raises(NoDevice):
        settled_device("gpu")
    with pytest.warns(RuntimeWarning, match="device gpu: there is none: the CPU goes on"):
        assert on_device("gpu-or-cpu", lambda: "there", lambda: "here") == "here"
    with pytest.warns(RuntimeWarning, match="the CPU goes on"):
        assert settled_device("gpu-or-cpu") == "cpu"
    with pytest.raises(UnknownName, match="unknown device 'gpus', did you mean 'gpu'"):
        on_device("gpus", lambda: "there", lambda: "here")


@pytest.mark.plain
def test_a_device_that_is_lost_leaves_the_work_to_the_cpu(monkeypatch) -> None:
    def lost() -> str:
        raise DeviceTrouble("device gpu: it was lost")

    monkeypatch.setattr(device, "check_device", lambda: None)
    with pytest.raises(DeviceTrouble, match="lost"):
        on_device("gpu", lost, lambda: "here")
    with pytest.warns(RuntimeWarning, match="it was lost: the CPU goes on"):
        assert on_device("gpu-or-cpu", lost, lambda: "here") == "here"


@pytest.mark.plain
@pytest.mark.filterwarnings("default")
def test_a_command_goes_on_with_the_cpu_if_it_was_asked_to(tmp_path, capsys, no_device) -> None:
    with pytest.raises(SystemExit):
        main(["train", "fit", str(tmp_path), "--device", "gpu-or-cpu"])
    warned, failed = capsys.readouterr().err.splitlines()
    assert warned == "outflank: warning: device gpu: there is none: the CPU goes on"
    assert "positions" in failed or "values" in failed  # an empty folder holds nothing to learn from
