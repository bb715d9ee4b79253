"""Work on a GPU: what the simulator of Numba shows of it without one, and what is said where there is none."""

import json
import os
import pickle
import subprocess
import sys
import threading
import time
from types import ModuleType

import pytest

from outflank.errors import UnknownName
from outflank.gpu import compiling, device, driver
from outflank.gpu.choosing import on_device, resolve_device
from outflank.gpu.compiling import device_kernel
from outflank.gpu.driver import device_facts
from outflank.gpu.troubles import (
    DeviceLost,
    DeviceTooSmall,
    DeviceTrouble,
    NoDevice,
    translate_cuda_errors,
    trouble_numbered,
)
from outflank.installation import install_command
from outflank.kernels import cache
from outflank.ui.cli import main
from tests.simulator import simulated

FITTED = """
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


@pytest.mark.interpreted_only
@pytest.mark.slow(4)
def test_weights_fitted_on_a_device_are_those_of_a_cpu() -> None:
    assert simulated(FITTED, warned="default") == "the same bits\n"


@pytest.mark.interpreted_only
def test_without_a_device_one_line_says_so(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.delenv("NUMBA_ENABLE_CUDASIM", raising=False)
    monkeypatch.setattr(driver.importlib.util, "find_spec", lambda name: None)
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


@pytest.mark.interpreted_only
def test_where_there_is_a_device_it_does_what_is_asked_of_it(monkeypatch) -> None:
    monkeypatch.setattr(device, "check_device", lambda: None)
    assert [on_device(asked, lambda: "there", lambda: "here") for asked in ("cpu", "gpu", "gpu-or-cpu")] == [
        "here",
        "there",
        "there",
    ]
    assert resolve_device("gpu-or-cpu") == "gpu-or-cpu"


@pytest.mark.interpreted_only
def test_the_cpu_goes_on_only_if_it_was_asked_to(no_device) -> None:
    with pytest.raises(NoDevice):
        on_device("gpu", lambda: "there", lambda: "here")
    with pytest.raises(NoDevice):
        resolve_device("gpu")
    with pytest.warns(RuntimeWarning, match="device gpu: there is none: the CPU goes on"):
        assert on_device("gpu-or-cpu", lambda: "there", lambda: "here") == "here"
    with pytest.warns(RuntimeWarning, match="the CPU goes on"):
        assert resolve_device("gpu-or-cpu") == "cpu"
    with pytest.raises(UnknownName, match="unknown device 'gpus', did you mean 'gpu'"):
        on_device("gpus", lambda: "there", lambda: "here")


@pytest.mark.interpreted_only
def test_a_device_that_is_lost_leaves_the_work_to_the_cpu(monkeypatch) -> None:
    def lost() -> str:
        raise DeviceTrouble("device gpu: it was lost")

    monkeypatch.setattr(device, "check_device", lambda: None)
    with pytest.raises(DeviceTrouble, match="lost"):
        on_device("gpu", lost, lambda: "here")
    with pytest.warns(RuntimeWarning, match="it was lost: the CPU goes on"):
        assert on_device("gpu-or-cpu", lost, lambda: "here") == "here"


@pytest.mark.interpreted_only
@pytest.mark.filterwarnings("default")
def test_a_command_goes_on_with_the_cpu_if_it_was_asked_to(tmp_path, capsys, no_device) -> None:
    with pytest.raises(SystemExit):
        main(["train", "fit", str(tmp_path), "--device", "gpu-or-cpu"])
    warned, failed = capsys.readouterr().err.splitlines()
    assert warned == "outflank: warning: device gpu: there is none: the CPU goes on"
    assert "positions" in failed or "values" in failed  # an empty folder holds nothing to learn from


# --- what is said of troubles ---


class CudaDriverError(Exception):
    """As numba-cuda's: the names of the classes are what they are known by."""


class CudaAPIError(CudaDriverError):
    """As numba-cuda's."""

    def __init__(self, code: int, msg: str) -> None:
        self.code, self.msg = code, msg
        super().__init__(code, msg)


class CudaSupportError(ImportError):
    """As numba-cuda's."""


class CUDAError(Exception):
    """As cuda.core's."""


class LinkerError(RuntimeError):
    """As numba-cuda's."""


class DynamicLibNotFoundError(RuntimeError):
    """As cuda.pathfinder's."""


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    ("raised", "kind", "says"),
    [
        (CudaAPIError(2, "Call to cuMemAlloc results in CUDA_ERROR_OUT_OF_MEMORY"), DeviceTooSmall, "ask for less"),
        (CudaAPIError(46, "Call to cuDevicePrimaryCtxRetain results in …"), NoDevice, "in use by another process"),
        (CudaAPIError(222, "Call to cuModuleLoad results in …"), NoDevice, "driver is too old"),
        (CudaAPIError(700, "Call to cuCtxSynchronize results in …"), DeviceLost, "lost on the way"),
        (CudaAPIError(719, "Call to cuMemcpyDtoH results in …"), DeviceLost, "lost on the way"),
        (CudaAPIError(214, "Call to cuMemcpyDtoH results in …"), DeviceLost, "memory is damaged"),
        (CudaAPIError(702, "Call to cuMemcpyDtoH results in …"), DeviceLost, "longer than its driver allows"),
        (CudaAPIError(999, "Call to cuMemcpyDtoH results in CUDA_ERROR_UNKNOWN"), DeviceLost, "lost on the way"),
        (CudaAPIError(1, "Call to cuX results in CUDA_ERROR_INVALID_VALUE"), DeviceTrouble, "CUDA_ERROR_INVALID_VALUE"),
        (CUDAError("CUDA_ERROR_LAUNCH_FAILED: an exception occurred"), DeviceLost, "lost on the way"),
        (CUDAError("CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES: a launch"), DeviceTooSmall, "registers"),
        (
            CudaSupportError("Error at driver init: Call to cuInit results in CUDA_ERROR_NO_DEVICE"),
            NoDevice,
            "hides it",
        ),
        (CudaSupportError("Error at driver init: an insufficient driver (35)"), NoDevice, "driver is too old"),
        (CudaSupportError("\nCUDA driver library cannot be found.\nEnsure that\n"), NoDevice, "no driver of NVIDIA"),
        (CudaSupportError("Error at driver init: \nCUDA is\nDISABLED.:"), NoDevice, "device gpu: CUDA is DISABLED"),
        (
            LinkerError("ptxas: 'k' uses too much shared data (0x9 bytes, 0x8 max)\n"),
            DeviceTooSmall,
            "data (0x9 bytes,",
        ),
        (LinkerError("ptxas fatal: in (2)"), DeviceTrouble, "ptxas fatal: in (2)"),
        (DynamicLibNotFoundError('Failure finding "libnvvm.so"'), NoDevice, install_command("gpu")),
    ],
)
def test_troubles_are_told_in_a_line_each(raised, kind, says) -> None:
    with pytest.raises(DeviceTrouble) as told, translate_cuda_errors():
        raise raised
    assert type(told.value) is kind
    assert says in str(told.value)
    assert str(told.value).startswith("device gpu: ")
    assert "\n" not in str(told.value)
    assert told.value.__cause__ is raised


@pytest.mark.interpreted_only
def test_what_is_no_trouble_of_a_device_passes() -> None:
    for error in (ValueError("a value"), KeyboardInterrupt(), NoDevice("device gpu: there is none")):
        with pytest.raises(type(error)) as passed, translate_cuda_errors():
            raise error
        assert passed.value is error


@pytest.mark.interpreted_only
def test_a_device_that_fails_on_the_way_leaves_the_work_to_the_cpu(monkeypatch) -> None:
    def failing() -> str:
        raise CudaAPIError(700, "Call to cuCtxSynchronize results in CUDA_ERROR_ILLEGAL_ADDRESS")

    monkeypatch.setattr(device, "check_device", lambda: None)
    with pytest.raises(DeviceLost):
        on_device("gpu", failing, lambda: "here")
    with pytest.warns(RuntimeWarning, match=r"CUDA_ERROR_ILLEGAL_ADDRESS.*: the CPU goes on"):
        assert on_device("gpu-or-cpu", failing, lambda: "here") == "here"


@pytest.mark.interpreted_only
def test_numbas_own_cuda_is_told(monkeypatch) -> None:
    for name in ("simulated", "interpreted", "require_numba_cuda"):
        monkeypatch.setattr(device, name, bool)
    monkeypatch.setitem(sys.modules, "numba.cuda.cudadrv.nvrtc", ModuleType("nvrtc"))  # without what we ask it
    with pytest.raises(NoDevice, match=r"Numba's own CUDA is found in place of numba-cuda, or an old one: pip install"):
        device.check_device()


@pytest.mark.interpreted_only
def test_a_device_whose_memory_is_full_is_none(monkeypatch) -> None:
    def full() -> None:
        raise CudaAPIError(2, "Call to cuDevicePrimaryCtxRetain results in CUDA_ERROR_OUT_OF_MEMORY")

    for name, value in (
        ("simulated", bool),
        ("interpreted", bool),
        ("require_numba_cuda", bool),
        ("_open_context", full),
    ):
        monkeypatch.setattr(device, name, value)
    with pytest.raises(NoDevice, match="memory is full before anything is begun"):
        device.check_device()


@pytest.mark.interpreted_only
def test_a_device_needs_the_compiler(monkeypatch) -> None:
    for name, value in (("simulated", bool), ("interpreted", lambda: True), ("require_numba_cuda", bool)):
        monkeypatch.setattr(device, name, value)
    with pytest.raises(NoDevice, match=r"NUMBA_DISABLE_JIT is set.*NUMBA_ENABLE_CUDASIM"):
        device.check_device()


# --- what a driver says of its devices ---


ANSWERS = {
    "cuInit": None,
    "cuDeviceGet": 0,
    "cuDeviceGetName": b"A made-up device",
    "cuDeviceTotalMem_v2": 8 << 30,
    "cuDeviceGetAttribute": {16: 30, 75: 8, 76: 6},
    "cuDriverGetVersion": 13020,
    "cuDeviceGetPCIBusId": b"0000:01:00.0",
    "nvmlInit_v2": None,
    "nvmlSystemGetDriverVersion": b"590.10",
    "nvmlDeviceGetHandleByPciBusId_v2": 1,
    "nvmlDeviceGetMemoryInfo": 3 << 30,
    "nvmlShutdown": None,
}


class Driver:
    """A driver with one device, and its watcher; some of what it is asked it refuses, with the number of an error."""

    def __init__(self, **refusing: int) -> None:
        self._refusing = refusing

    def __getattr__(self, name):
        answer = ANSWERS[name]

        def asked(*arguments) -> int:
            pointers = [each for each in arguments if hasattr(each, "_obj")]
            if isinstance(answer, bytes):
                arguments[0].value = answer
            elif isinstance(answer, dict):
                pointers[0]._obj.value = answer[arguments[1]]
            elif answer is not None:
                setattr(pointers[0]._obj, "free" if name.endswith("MemoryInfo") else "value", answer)
            return self._refusing.get(name, 0)

        return asked


@pytest.mark.interpreted_only
def test_a_device_is_described_by_its_driver() -> None:
    found = device_facts(Driver(), Driver())
    assert str(found) == "A made-up device, compute capability 8.6, 30 multiprocessors, driver 590.10 for CUDA 13.2"
    assert (found.memory_bytes, found.free_memory_bytes) == (8 << 30, 3 << 30)


@pytest.mark.interpreted_only
def test_what_nobody_says_of_a_device_is_left_out() -> None:
    for watcher in (None, Driver(nvmlInit_v2=9)):
        found = device_facts(Driver(), watcher)
        assert str(found).endswith(", driver for CUDA 13.2")
        assert found.free_memory_bytes is None
    assert device_facts(Driver(), Driver(nvmlDeviceGetMemoryInfo=3)).free_memory_bytes is None


@pytest.mark.interpreted_only
def test_a_driver_that_refuses_says_why() -> None:
    with pytest.raises(NoDevice, match="driver is too old"):
        device_facts(Driver(cuInit=35), None)
    with pytest.raises(NoDevice, match="CUDA_VISIBLE_DEVICES"):
        device_facts(Driver(cuInit=100), None)
    assert str(trouble_numbered(-5)) == "device gpu: its driver gives error -5"


@pytest.mark.interpreted_only
def test_the_doctor_tells_of_the_device(monkeypatch, capsys) -> None:
    def doctor(*options: str) -> str:
        with pytest.raises(SystemExit):
            main(["doctor", *options])
        return capsys.readouterr().out

    def told(library) -> dict:
        monkeypatch.setattr(driver, "_library", library)
        return json.loads(doctor("--json"))

    monkeypatch.setattr("outflank.ui.cli.installation.doctor_command.self_test", lambda: ())
    monkeypatch.delenv("NUMBA_ENABLE_CUDASIM", raising=False)
    monkeypatch.setattr(driver, "require_numba_cuda", lambda: None)
    facts = told(lambda name: Driver())
    assert facts["gpu"].startswith("A made-up device")
    assert (facts["gpu_memory_bytes"], facts["gpu_free_memory_bytes"]) == (8 << 30, 3 << 30)
    assert "gpu_memory_bytes      8.0 GiB" in doctor()
    assert told(lambda name: None)["gpu"] == "none: there is no driver of NVIDIA here"
    assert "gpu_memory_bytes" not in doctor()
    assert told(lambda name: Driver(cuDeviceGet=101))["gpu"].startswith("none: there is none of that number")
    assert told(lambda name: object())["gpu"].startswith("unknown: AttributeError")  # no driver at all, under its name
    monkeypatch.setenv("NUMBA_ENABLE_CUDASIM", "1")
    assert told(lambda name: Driver())["gpu"] == "simulated (NUMBA_ENABLE_CUDASIM is set)"


# --- what is compiled for a device, and kept ---


def twice(values) -> None:
    """A kernel for the tests."""
    values[0] *= 2


class Codegen:
    """What says which device is compiled for."""

    def __init__(self, *device) -> None:
        self.magic_tuple = lambda: device


@pytest.mark.interpreted_only
def test_each_device_compiler_and_option_has_kernels_of_its_own(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(cache, "generation", lambda: tmp_path)
    monkeypatch.setattr(compiling, "version", lambda name: "0.30.4")
    monkeypatch.setattr(cache, "_unkeyed_origins", set())
    monkeypatch.setattr(cache, "_origins", set())  # modules of other tests, which may be gone

    def path(*machine, options=()):
        kept = compiling._DeviceCache(twice, "device.tests.twice", dict(options))
        return kept._path(("array(int64, 1d, C)",), Codegen(*machine))

    here = path((13, 0), (9, 0))
    assert here == path((13, 0), (9, 0))
    others = [path((13, 0), (8, 6)), path((13, 1), (9, 0)), path((13, 0), (9, 0), options={"max_registers": 64})]
    monkeypatch.setattr(compiling, "version", lambda name: "0.31.0")
    others.append(path((13, 0), (9, 0)))
    assert len({here, *others}) == 5


@pytest.mark.interpreted_only
def test_a_damaged_kernel_is_compiled_again() -> None:
    pytest.importorskip("numba_cuda")
    for payload in (b"", b"nonsense", pickle.dumps(({}, {})), pickle.dumps(7)):
        assert compiling._from_bytes(payload) is None


def nothing() -> None:
    pass


@pytest.mark.interpreted_only
def test_threads_launch_one_after_the_other() -> None:
    inside, most = 0, 0

    class Launcher:
        def __getitem__(self, launch):
            return self.launch

        def launch(self) -> None:
            nonlocal inside, most
            inside += 1
            most = max(most, inside)
            time.sleep(0.01)
            inside -= 1

    kernel = device_kernel(nothing)
    kernel.compiled = Launcher()
    threads = [threading.Thread(target=kernel[1, 1]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


@pytest.mark.interpreted_only
def test_a_device_kernel_is_a_top_level_function() -> None:
    factor = 3

    def inside(values):
        values[0] *= factor

    with pytest.raises(TypeError, match="inside: it must be a top-level function"):
        device_kernel(inside)


OWN_GAME = """
from typing import NamedTuple

from outflank.gpu.compiling import device_kernel
from outflank.gpu.device import cuda
from outflank.kernels.compiler import inner
from outflank.kernels.generic import generic

class Mine(NamedTuple):
    added: int

@generic
def step(game, value):
    "What comes after a value."

@inner
def part(value):
    return value * 3

@step.register(Mine)
def _(game, value):
    return part(value) + game.added

@device_kernel
def run(game, values):
    place = cuda.grid(1)
    if place < values.size:
        values[place] = step(game, values[place])
"""

WITHOUT_DRIVER = """
import sys
import threading
import time
from types import SimpleNamespace

from outflank.gpu.device import cuda
if "numba_cuda" not in cuda.__file__:
    sys.exit("numba-cuda is not used")
from numba import types
from numba.cuda import dispatcher
from numba.cuda.cudadrv import devices

here = SimpleNamespace(compute_capability=(9, 0), id=0)
dispatcher.get_current_device = lambda: here
devices.get_context = lambda *which: SimpleNamespace(device=here)
dispatcher._Kernel.bind = lambda kernel: kernel.library.get_cubin()

import own_game
from outflank.kernels.cache import history

game = types.NamedTuple((types.int64,), own_game.Mine)
kernel = own_game.run.compiled.compile((game, types.int64[::1]))
print(history[-1].kernel, *history[-1].types, history[-1].how, len(kernel.library.get_cubin().code) > 1000)
"""


@pytest.mark.compiled
@pytest.mark.slow(12)
def test_kernels_for_a_device_are_kept_until_a_source_changes(tmp_path) -> None:
    pytest.importorskip("numba_cuda")
    source, environment = tmp_path / "own_game.py", os.environ | {"OUTFLANK_CACHE_DIR": str(tmp_path / "cache")}

    def made_ready(text: str) -> str:
        source.write_text(text)
        command = [sys.executable, "-c", WITHOUT_DRIVER]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        if "numba-cuda is not used" in done.stderr:
            pytest.skip("numba-cuda is installed, but not where Numba finds it")
        assert not done.stderr
        return done.stdout

    made = "device.own_game.run Mine {} True\n"
    assert made_ready(OWN_GAME) == made.format("compiled")
    assert made_ready(OWN_GAME) == made.format("loaded")
    edited = OWN_GAME.replace("value * 3", "value * 5")
    assert made_ready(edited) == made.format("compiled")
    assert made_ready(edited) == made.format("loaded")
    assert made_ready(OWN_GAME) == made.format("loaded")
