"""Work on a GPU: what the simulator of Numba shows of it without one, and what is said where there is none."""

import os
import subprocess
import sys

import pytest

from outflank.gpu import device
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
