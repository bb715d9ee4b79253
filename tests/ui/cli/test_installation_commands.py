"""The commands `completion` and `man`: what a shell and a reader of manuals are given."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from outflank.ui.cli import COMMANDS, cli

pytestmark = pytest.mark.interpreted_only


@pytest.fixture
def home(monkeypatch, tmp_path) -> Path:
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def called(*words: str, **environment: str) -> Result:
    return CliRunner().invoke(cli, words, prog_name="outflank", env=environment, terminal_width=200)


# --- completion ---

FILES = {
    "bash": ".local/share/bash-completion/completions/outflank",
    "zsh": ".local/share/zsh/site-functions/_outflank",
    "fish": ".config/fish/completions/outflank.fish",
}


@pytest.mark.parametrize("shell", FILES)
def test_the_script_of_a_shell_is_written_where_it_looks(shell, home) -> None:
    printed = called("completion", SHELL=f"/usr/bin/{shell}")
    assert "_OUTFLANK_COMPLETE" in printed.output
    done = called("completion", shell, "--install")
    assert done.output.startswith(f"{home / FILES[shell]} is written")
    assert (home / FILES[shell]).read_text() == printed.output
    assert called("completion", shell, "--install").exit_code == 0  # again, after an upgrade


def test_an_unknown_shell_is_refused(home) -> None:
    for words, shell, said in (((), "/bin/dash", "dash"), (("bsh",), "", "did you mean 'bash'"), ((), "", "which")):
        assert said in str(called("completion", *words, SHELL=shell).exception)


def words_after(line: str) -> list[str]:
    """What bash is told may follow: the script asks so."""
    environment = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" ")), "_OUTFLANK_COMPLETE": "bash_complete"}
    command = [sys.executable, "-m", "outflank"]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=True)
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


@pytest.mark.slow(5)
def test_commands_options_and_names_are_completed() -> None:
    assert words_after("outflank se") == ["search", "serve"]
    assert "--parallel" in words_after("outflank search --p")
    assert "jamboree" in words_after("outflank search --parallel j")
    assert "build" in words_after("outflank book b")


# --- the manual page ---


@pytest.mark.slow(4)
def test_the_manual_page_has_every_command_and_option(home) -> None:
    page = called("man").output
    for name in COMMANDS:
        assert f"\n.SS outflank {name}" in page, name
    assert "\n.SS outflank book build" in page
    assert "\\fB\\-\\-selectivity" in page
    assert "\\- Parallel game\\-tree search for Othello and Abalone\n" in page
    assert "{games}" not in page
    done = called("man", "--install")
    file = home / ".local/share/man/man1/outflank.1"
    assert done.output == f"{file} is written\n"
    assert file.read_text() == page


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_roff_reads_the_manual_page_without_a_warning(home) -> None:
    page = called("man").output
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-z"], input=page.encode(), capture_output=True, check=True
    )
    assert done.stderr == b""
