"""The checklist of a release, `python -m release`, step by step."""

import json
import os
import re
import shlex
import subprocess
import sys
from datetime import date
from functools import partial
from pathlib import Path

import pytest

import outflank
import release
from release import StepFailed
from tests.web_server import serving

pytestmark = pytest.mark.interpreted_only

ROOT = Path(__file__).parents[2]


def test_this_version_is_one_that_can_be_released(tmp_path: Path) -> None:
    assert release.version_of(ROOT) == outflank.__version__
    for name in ("src/outflank/__init__.py", "CITATION.cff"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    citation = (tmp_path / "CITATION.cff").read_text(encoding="utf-8")
    (tmp_path / "CITATION.cff").write_text(citation.replace(f"version: {outflank.__version__}", "version: 9.9.9"))
    with pytest.raises(StepFailed, match=r"__init__\.py has version \d.*, CITATION\.cff has version 9\.9\.9$"):
        release.version_of(tmp_path)
    (tmp_path / "CITATION.cff").write_text("version: soon\n")
    with pytest.raises(StepFailed, match=r"^CITATION\.cff: expected a version such as 1\.2\.3"):
        release.version_of(tmp_path)


CHANGES = "# Changelog\n\n## 1.2.0 (2027-01-31)\n\n- A change.\n\n## 1.1.0 (2026-12-01)\n\n- An older change.\n"


def test_the_first_section_of_the_changelog_is_dated() -> None:
    assert release.changelog_date(CHANGES, "1.2.0") == date(2027, 1, 31)
    for text, version, reason in (
        (CHANGES, "1.3.0", r"expected `## 1\.3\.0 \(YYYY-MM-DD\)` as the first section$"),
        (CHANGES.replace("2027-01-31", "unreleased"), "1.2.0", "expected the date of 1.2.0, .* found 'unreleased'$"),
        (CHANGES.replace("2027-01-31", "2027-02-31"), "1.2.0", "expected the date of 1.2.0"),
        (CHANGES.replace("- A change.", ""), "1.2.0", r"the section of 1\.2\.0 is empty$"),
        ("", "1.2.0", "as the first section$"),
    ):
        with pytest.raises(StepFailed, match=reason):
            release.changelog_date(text, version)
    first = next(line for line in (ROOT / "CHANGELOG.md").read_text().splitlines() if line.startswith("## "))
    assert re.fullmatch(rf"## {re.escape(outflank.__version__)} \((unreleased|\d{{4}}-\d\d-\d\d)\)", first)


def test_the_tag_is_of_a_tree_without_changes(tmp_path: Path) -> None:
    git = partial(release.run, "git", "-c", "user.name=a", "-c", "user.email=a@localhost", folder=tmp_path)
    git("init", "--quiet")
    git("config", "user.name", "a")
    git("config", "user.email", "a@localhost")
    (tmp_path / "file").write_text("one")
    (tmp_path / "other").write_text("one")
    with pytest.raises(StepFailed, match=r"^not committed: file and 1 more$"):
        release.check_tree(tmp_path, "v1.2.0")
    git("add", ".")
    git("commit", "--quiet", "-m", "one")
    assert release.check_tree(tmp_path, "v1.2.0").endswith(" is clean; tag v1.2.0 is free")
    assert release.set_tag(tmp_path, "v1.2.0") == "v1.2.0 made"
    assert git("tag", "-n", "--list").split() == ["v1.2.0", "outflank", "1.2.0"]
    assert release.check_tree(tmp_path, "v1.2.0").endswith("tag v1.2.0 is there")
    assert release.set_tag(tmp_path, "v1.2.0") == "v1.2.0 was there"
    git("commit", "--quiet", "--allow-empty", "-m", "two")
    with pytest.raises(StepFailed, match=r"^tag v1\.2\.0 is at [0-9a-f]{12}, but the last commit is [0-9a-f]{12}$"):
        release.check_tree(tmp_path, "v1.2.0")


def test_a_step_that_fails_is_the_last_and_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    failing = partial(release.run, sys.executable, "-c", "print('first'); print('why'); raise SystemExit(3)")
    assert not release.perform([("one", lambda: "fine"), ("two", failing), ("three", lambda: "never")])
    one, two = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"one +0\.0 s  fine", one)
    assert re.fullmatch(r"two +FAILED: .* status 3: why", two)
    with pytest.raises(StepFailed, match=r"^not installed: no-such-tool, twain; run pip install -e '\.\[release\]'$"):
        release.check_tools(("sys", "no_such_tool", "twain"))
    with pytest.raises(StepFailed, match="No such file"):
        release.run("no-such-program")


class Program:
    """A program that prints what `release` expects of outflank."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.printed = {"--version": "outflank 1.2.0"}
        self.printed |= {command: json.dumps(expected) for command, expected in release.TRIED.items()}

    def attempt(self, address: str) -> str:
        """What `release` says when it tries this program, whose server is the one at an address."""
        printed = {" ".join(shlex.split(command)): text for command, text in self.printed.items()}
        printed["serve --port 0 --games games.sqlite"] = f"outflank is at http://{address}/"
        script = f"import sys; print({printed}[' '.join(sys.argv[1:])])"
        return release.smoke_test([sys.executable, "-S", "-c", script], "1.2.0", self.folder, dict(os.environ))


@pytest.mark.slow(3)
def test_what_is_tried_of_a_package_decides(tmp_path: Path) -> None:
    program = Program(tmp_path)
    with serving(tmp_path) as server:
        address = f"127.0.0.1:{server.port}"
        assert program.attempt(address) == "search, solve, match, doctor, serve"
        with server.page(), pytest.raises(StepFailed, match=r"^serve: /health: expected \"connections\":0, found"):
            program.attempt(address)
    with pytest.raises(StepFailed, match=r"^serve: /: .*refused"):
        program.attempt(address)
    program.printed["doctor --json"] = '{"schema": "outflank/doctor/1", "passed": false}'
    with pytest.raises(StepFailed, match=r"^doctor --json: expected a document with .*'passed': True.*, found"):
        program.attempt(address)
    program.printed["--version"] = "outflank 1.1.0"
    with pytest.raises(StepFailed, match=r"^--version: expected outflank 1\.2\.0, found outflank 1\.1\.0$"):
        program.attempt(address)


def test_installed_packages_run_no_other_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in release.NOT_INHERITED:
        monkeypatch.setenv(name, "1")
    environment = release.clean_environment(tmp_path / "wheel")
    assert not set(release.NOT_INHERITED) & environment.keys()
    assert environment["OUTFLANK_CACHE_DIR"] == release.clean_environment(tmp_path / "sdist")["OUTFLANK_CACHE_DIR"]


def test_a_server_that_prints_no_address_is_reported(tmp_path: Path) -> None:
    silent = [sys.executable, "-c", "print('no')"]
    with (
        pytest.raises(StepFailed, match=r"^serve: expected its address, found 'no'$"),
        release.served(silent, tmp_path),
    ):
        pass


def test_the_command_says_what_it_does() -> None:
    done = subprocess.run([sys.executable, "-m", "release", "--help"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0
    assert "It never uploads anything." in " ".join(done.stdout.split())
