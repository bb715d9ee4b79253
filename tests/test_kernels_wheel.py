"""The wheel of the companion package: its contents, its tag, and what it requires."""

import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

from outflank import warm
from outflank.errors import OutflankError
from outflank.kernels import cache_files, companion_package
from outflank.ui.cli import main

pytestmark = pytest.mark.compiled


@pytest.fixture
def compiled(monkeypatch):
    """Processors for which kernels were compiled, by a compiler that writes one file for each."""
    names: list[str] = []

    def compile_for(processor, folder: Path, *, every: bool) -> None:
        names.append(processor.name)
        cache_files.write(folder / "kernels" / "stamp" / "a.kernel", processor.name.encode())

    monkeypatch.setattr(warm, "_compile_for", compile_for)
    return names


def test_a_wheel_has_the_kernels_of_every_processor_that_is_usable_here(compiled, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(companion_package, "host", lambda: ("x86_64-pc-linux", "", companion_package._V3))
    with pytest.raises(SystemExit) as ended:
        main(["warm", "--wheel", str(tmp_path / "new" / "folder")])
    assert ended.value.code == 0
    assert compiled == ["x86-64-v3", "x86-64-v2"]
    output = capsys.readouterr().out
    assert "cannot run them: kernels for x86-64-v4\n" in output
    assert ": 1 kernels for x86-64-v3, x86-64-v2, 0.0 MB\n" in output
    (path,) = (tmp_path / "new" / "folder").iterdir()
    name, release, python, _, system = path.name.removesuffix(".whl").split("-")
    assert (name, release) == ("outflank_kernels", version("outflank"))
    assert python.startswith("cp")
    assert system != "any"
    with zipfile.ZipFile(path) as wheel:
        files = {name for name in wheel.namelist() if "dist-info" not in name}
        metadata = wheel.read(f"{name}-{release}.dist-info/METADATA").decode().splitlines()
        tags = wheel.read(f"{name}-{release}.dist-info/WHEEL").decode().splitlines()
    assert files == {f"outflank_kernels/{processor}/kernels/stamp/a.kernel" for processor in compiled}
    for package in ("outflank", "numba", "llvmlite", "numpy"):
        assert f"Requires-Dist: {package}=={version(package)}" in metadata
    assert "Root-Is-Purelib: false" in tags  # it is installed beside Numba


def test_no_wheel_can_be_built_on_an_unknown_processor(compiled, monkeypatch, tmp_path):
    monkeypatch.setattr(companion_package, "host", lambda: ("riscv64-unknown-linux-gnu", "", ""))
    with pytest.raises(OutflankError, match="riscv64"):
        warm.build_wheel(tmp_path, report=print)
    assert compiled == []
