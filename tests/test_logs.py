"""The log: silent by default, and a file of limited size if the environment names one."""

import logging
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from outflank.errors import InvalidOption, OutflankError
from outflank.logs import MOST_LINES, PERIOD_SECONDS, LogFile, log_to_file, logger
from outflank.ui.cli import main

pytestmark = pytest.mark.interpreted_only


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file that OUTFLANK_LOG names. After the test, nothing is logged any more."""
    root = logging.getLogger("outflank")
    monkeypatch.setenv("OUTFLANK_LOG", str(tmp_path / "log"))
    monkeypatch.setattr(root, "level", root.level)
    monkeypatch.setattr(root, "handlers", root.handlers.copy())
    yield tmp_path / "log"
    for handler in root.handlers:
        if isinstance(handler, LogFile):
            handler.close()


def test_without_a_handler_nothing_is_printed(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lonely = logger("outflank.lonely")
    monkeypatch.setattr(lonely, "propagate", False)  # to pytest's handlers
    lonely.error("lost")
    assert capfd.readouterr() == ("", "")


def test_records_are_appended_as_single_lines(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("earlier\n")
    log_to_file()
    log_to_file()  # once is enough
    log = logger("outflank.distributed.head")
    log.debug("too little")
    log.info("node %d: %s", 3, "two\nlines \x1b[2J")
    monkeypatch.setenv("OUTFLANK_LOG_LEVEL", "warning")
    earlier, line = file.read_text().splitlines()
    assert earlier == "earlier"
    assert line.endswith(" INFO outflank.distributed.head: node 3: two lines ?[2J")


def test_a_flood_is_counted(tmp_path: Path) -> None:
    now = 0.0
    handler = LogFile(str(tmp_path / "log"), lambda: now)
    log = logging.Logger("outflank.flooded")
    log.addHandler(handler)
    for number in range(1000):
        log.info("refused %d", number)
    log.info("something else")
    now = PERIOD_SECONDS
    log.info("refused %d", 1000)
    handler.close()
    *lines, other, omitted, last = [line.partition(": ")[2] for line in (tmp_path / "log").read_text().splitlines()]
    assert lines == [f"refused {number}" for number in range(MOST_LINES)]
    assert [other, omitted, last] == [
        "something else",
        f"{1000 - MOST_LINES} more were omitted: refused %d",
        "refused 1000",
    ]


def test_a_full_disk_stops_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(text: str) -> None:
        raise OSError("no space is left")

    handler = LogFile(str(tmp_path / "log"))
    log = logging.Logger("outflank.full")
    log.addHandler(handler)
    with monkeypatch.context() as patch:
        patch.setattr(handler, "stream", SimpleNamespace(write=full, flush=lambda: None))
        log.error("lost")
    handler.close()
    assert capfd.readouterr() == ("", "")


def test_a_mistake_in_the_environment_gets_one_line(
    file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OUTFLANK_LOG_LEVEL", "loud")
    with pytest.raises(InvalidOption, match=r"^OUTFLANK_LOG_LEVEL=loud: expected debug, info, warning, error$"):
        log_to_file()
    monkeypatch.delenv("OUTFLANK_LOG_LEVEL")
    monkeypatch.setenv("OUTFLANK_LOG", str(tmp_path))
    with pytest.raises(OutflankError, match=r"^OUTFLANK_LOG=.*: Is a directory$"):
        log_to_file()


def test_a_command_logs_what_an_engine_is_asked(file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "lines").write_text("name\nquit\n")
    monkeypatch.setenv("OUTFLANK_LOG_LEVEL", "debug")
    with (tmp_path / "lines").open() as lines:
        monkeypatch.setattr("sys.stdin", lines)
        with pytest.raises(SystemExit):
            main(["engine", "gtp"])
    text = file.read_text()
    assert "outflank.protocols.serving: received: name\n" in text
    assert "outflank.protocols.serving: answered: = outflank\n" in text
