"""The companion package: the generic processors whose kernels run on a processor, where the package is trusted."""

import os
from pathlib import Path

import pytest

import outflank
from outflank.errors import InvalidOption
from outflank.kernels import companion_package
from outflank.kernels.companion_package import PROCESSORS, kernels_for, usable_processors

pytestmark = pytest.mark.interpreted_only

X86 = "x86_64-unknown-linux-gnu"
V4, V3, V2 = PROCESSORS["x86_64"]
NEWEST = f"+64bit,+adx,{V4.features},-avx512fp16"
"""Features as LLVM lists them: with a sign for each that it knows, not only for those that are there."""


@pytest.mark.parametrize(
    ("triple", "features", "names"),
    [
        (X86, NEWEST, ["x86-64-v4", "x86-64-v3", "x86-64-v2"]),
        (X86, NEWEST.replace("+avx512dq", "-avx512dq"), ["x86-64-v3", "x86-64-v2"]),
        (X86, NEWEST.replace("+avx512dq,", "").replace("+avx2,", ""), ["x86-64-v2"]),
        (X86, NEWEST.replace("+popcnt", "-popcnt"), []),
        (X86, "", []),
        ("aarch64-unknown-linux-gnu", "+lse,+neon", ["generic"]),
        ("arm64-apple-darwin24.1.0", "", ["apple-m1"]),
        ("riscv64-unknown-linux-gnu", NEWEST, []),
    ],
)
def test_a_generic_processor_is_usable_if_all_its_features_are_there(triple, features, names):
    assert [processor.name for processor in usable_processors(triple, features)] == names


@pytest.fixture
def home(monkeypatch, tmp_path):
    """A folder of installed packages, the only one."""
    monkeypatch.setattr(companion_package, "homes", lambda: (tmp_path / "empty", tmp_path))
    monkeypatch.delenv(companion_package.SWITCH, raising=False)
    kernels_for.cache_clear()
    yield tmp_path
    kernels_for.cache_clear()


def test_the_best_kernels_of_the_same_versions_are_chosen(home: Path, monkeypatch):
    host = (X86, "cascadelake", NEWEST)
    assert kernels_for(host, "stamp") is None
    for processor, stamp in ((V4, "of-other-versions"), (V3, "stamp"), (V2, "stamp")):
        kernels_for.cache_clear()
        (companion_package.folder(home, processor) / "kernels" / stamp).mkdir(parents=True)
    folder = companion_package.folder(home, V3) / "kernels" / "stamp"
    assert kernels_for(host, "stamp") == (folder, (X86, V3.name, V3.features))
    folder = companion_package.folder(home, V2) / "kernels" / "stamp"
    assert kernels_for((X86, "nehalem", V2.features), "stamp") == (folder, (X86, V2.name, V2.features))
    monkeypatch.setenv(companion_package.SWITCH, "native")
    kernels_for.cache_clear()
    assert kernels_for(host, "stamp") is None
    monkeypatch.setenv(companion_package.SWITCH, "fast")
    kernels_for.cache_clear()
    with pytest.raises(InvalidOption, match="OUTFLANK_KERNELS=fast: expected native"):
        kernels_for(host, "stamp")


def test_only_folders_of_running_code_are_trusted(monkeypatch, tmp_path):
    """Not the current folder, nor any other of Python's search path."""
    import numba

    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    packages = {Path(module.__file__).parent for module in (outflank, numba)}
    assert set(companion_package.homes()) == {package.parent for package in packages}
    assert Path(os.getcwd()) not in companion_package.homes()
