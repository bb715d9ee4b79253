"""What a container allows is less than what the machine has."""

import os
from contextlib import contextmanager
from pathlib import Path

import pytest

from outflank import machine


@pytest.fixture
def files(monkeypatch):
    """Pretend that these files are all there are."""

    def pretend(contents: dict[str, str]) -> None:
        monkeypatch.setattr(machine, "_lines", lambda path: contents.get(Path(path).as_posix(), "").splitlines())

    return pretend


def test_without_limits_the_machine_counts(files):
    files({})
    assert machine.usable_cores() <= (os.cpu_count() or 1)
    found = machine.this_machine()
    assert found.memory_bytes == found.usable_memory_bytes
    assert found.cores >= 1


@pytest.mark.interpreted_only
@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_a_processor_has_a_model_even_where_the_system_tells_none(files, monkeypatch, system):
    files({"/proc/cpuinfo": "CPU implementer\t: 0x41\nCPU part\t: 0xd0c"})
    monkeypatch.setattr(machine.sys, "platform", system)
    monkeypatch.setitem(machine.sys.modules, "winreg", Registry)
    monkeypatch.setattr(machine, "_output_of", lambda *command: "Apple M2 Pro")
    wanted = {"linux": "neoverse-n1", "darwin": "Apple M2 Pro", "win32": "Some Processor 9000"}[system]
    monkeypatch.setattr("llvmlite.binding.get_host_cpu_name", lambda: "neoverse-n1")
    assert machine._processor() == wanted


class Registry:
    """What Windows says of its processor."""

    HKEY_LOCAL_MACHINE = None

    @staticmethod
    @contextmanager
    def OpenKey(root, name):  # noqa: N802  # Windows calls it so
        yield name

    @staticmethod
    def QueryValueEx(key, name):  # noqa: N802
        return "Some Processor 9000 ", 1


def test_version_2_groups_limit_and_parents_do_too(files):
    files(
        {
            "/proc/self/cgroup": "0::/pod/box",
            "/sys/fs/cgroup/pod/box/cpu.max": "max 100000",
            "/sys/fs/cgroup/pod/cpu.max": "50000 100000",
            "/sys/fs/cgroup/pod/box/memory.max": "1048576",
            "/sys/fs/cgroup/memory.max": "max",
        }
    )
    assert machine.usable_cores() == 0.5
    assert machine.this_machine().usable_memory_bytes == 1048576


def test_version_1_groups_limit(files):
    files(
        {
            "/proc/self/cgroup": "4:memory:/box\n3:cpu,cpuacct:/box",
            "/sys/fs/cgroup/cpu/box/cpu.cfs_quota_us": "25000",
            "/sys/fs/cgroup/cpu/box/cpu.cfs_period_us": "100000",
            "/sys/fs/cgroup/memory/box/memory.limit_in_bytes": "2097152",
        }
    )
    assert machine.usable_cores() == 0.25
    assert machine.this_machine().usable_memory_bytes == 2097152


def test_no_limit_is_no_limit(files):
    files(
        {
            "/proc/self/cgroup": "4:memory:/box\n3:cpu:/box",
            "/sys/fs/cgroup/cpu/box/cpu.cfs_quota_us": "-1",
            "/sys/fs/cgroup/cpu/box/cpu.cfs_period_us": "100000",
            "/sys/fs/cgroup/memory/box/memory.limit_in_bytes": "9223372036854771712",
        }
    )
    found = machine.this_machine()
    assert found.usable_memory_bytes == found.memory_bytes
    assert found.usable_cores >= 1
