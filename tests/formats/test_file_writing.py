"""Writing files: whole or not at all, by one process at a time."""

import errno
import io
import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from outflank import AbaloneBoard, Board, OthelloBoard, lab
from outflank.arena.openings import Openings
from outflank.errors import OutflankError
from outflank.formats import files
from outflank.formats.files import file_lock, replacing, write_whole
from outflank.formats.game_files import read_records, write_records
from outflank.protocols.gtp_game import GtpGame
from outflank.ui.cli import main
from outflank.ui.cli.game_files import review_command
from outflank.ui.cli.searching.search_command import _search_all

pytestmark = pytest.mark.interpreted_only

SOURCE = Path(__file__).parents[2] / "src" / "outflank"


@pytest.fixture
def run(capfdbinary, monkeypatch):
    def call(*arguments):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"quit\n")))
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        out, err = capfdbinary.readouterr()
        return ended.value.code, out.decode(), err.decode()

    return call


# --- one way of writing ---


def test_nothing_in_the_package_writes_files_in_another_way():
    """But for what appends (a match), what is in a fresh directory of its own, and what lies below this layer."""
    writes = re.compile(r'write_text\(|write_bytes\(|open\([^)]*"[rb]*[wxa+][wxa+rb]*"|os\.replace\(|mkstemp|O_CREAT')
    found = {path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py") if writes.search(path.read_text())}
    assert found == {
        "arena/match_documents.py",  # its lines are appended to
        "books/book.py",  # appended to while a book is built
        "distributed/engines/on_ray/ray_directories.py",  # a lock, in a fresh directory of its own
        "distributed/engines/on_ray/membership.py",  # a log, written to by others
        "distributed/engines/on_ray/certificates.py",  # an authority, made once, and by its maker alone
        "distributed/engines/on_ray/tokens.py",  # made once, and by its maker alone
        "formats/files.py",
        "kernels/cache_files.py",  # the cache, below this layer
        "ui/cli/shared/streams.py",  # the null device
        "ui/web/games/found_games.py",  # files of a browser, in a fresh directory of its own
        "ui/web/games/game_store.py",  # an empty file with the rights that SQLite's has to have
        "protocols/gtp_client.py",
    }


def test_a_planted_link_is_not_followed(tmp_path, monkeypatch):
    victim, target = tmp_path / "victim", tmp_path / "games.txt"
    victim.write_text("precious")
    for token in (f"{os.getpid()}", "aaaa"):
        (tmp_path / f".games.txt.{token}.part").symlink_to(victim)
    tokens = iter(["aaaa", "bbbb"])
    monkeypatch.setattr(files.secrets, "token_hex", lambda size: next(tokens))
    write_records(list(read_records(_transcripts(tmp_path))), target)
    assert victim.read_text() == "precious"
    assert target.read_text() == "f5d6c3\n"
    assert not target.is_symlink()


def test_temporary_names_cannot_be_foretold(tmp_path):
    names = set()
    for _ in range(20):
        with replacing(tmp_path / "x") as stream:
            names.add(Path(stream.name).name if isinstance(stream.name, str) else _only_part(tmp_path))
            stream.write(b"x")
    assert len(names) == 20


def _only_part(directory: Path) -> str:
    (part,) = directory.glob(".*.part")
    return part.name


def _transcripts(directory: Path) -> Path:
    path = directory / "source.txt"
    path.write_text("f5d6c3\n")
    return path


@pytest.mark.parametrize("failing", ["write", "fsync"])
def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch, failing):
    path = tmp_path / "x.svg"
    path.write_text("old")

    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    if failing == "fsync":
        monkeypatch.setattr(files.os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            write_whole(path, "new")
    else:
        with pytest.raises(OSError, match="No space"), replacing(path) as stream:
            full(stream.write(b"half"))
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["x.svg"]


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are POSIX's")
def test_permissions_are_kept_or_are_the_usual_ones(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("")
    old.chmod(0o604)
    before = os.umask(0o027)
    try:
        write_whole(old, "1")
        write_whole(new, b"2")
    finally:
        os.umask(before)
    assert stat.S_IMODE(old.stat().st_mode) == 0o604
    assert stat.S_IMODE(new.stat().st_mode) == 0o640
    assert (old.read_bytes(), new.read_bytes()) == (b"1", b"2")


def test_a_long_name_and_a_device_can_be_written_to(tmp_path):
    path = tmp_path / ("n" * 250)
    write_whole(path, "x")
    assert path.read_text() == "x"
    write_whole(Path(os.devnull), "x")


# --- one at a time ---


def test_the_second_is_refused_and_nothing_stays(tmp_path):
    path = tmp_path / "a.book"
    with file_lock(path, "it is being built"):
        with pytest.raises(OutflankError, match=r"a\.book: it is being built"), file_lock(path, "it is being built"):
            pass
        with file_lock(tmp_path / "b.book", ""):
            pass
    with file_lock(path, ""):
        pass
    assert list(tmp_path.iterdir()) == []


HOLDER = """
import sys, time
from pathlib import Path
from outflank.formats.files import file_lock
with file_lock(Path(sys.argv[1]), "busy"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_killed_holder_is_in_nobodys_way(tmp_path):
    path = tmp_path / "a.book"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": "src"}
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(OutflankError, match="busy"), file_lock(path, "busy"):
            pass
        holder.kill()
    with file_lock(path, "busy"):
        pass


def test_a_lock_that_is_taken_away_while_it_is_waited_for_is_made_anew(tmp_path, monkeypatch):
    from outflank.formats import files

    path, calls = tmp_path / "a.book", []
    really = files.lock

    def lock(handle):
        really(handle)
        if not calls:
            (tmp_path / ".a.book.lock").unlink()  # as its holder does at its end
        calls.append(handle)

    monkeypatch.setattr(files, "lock", lock)
    with file_lock(path, "busy"):
        assert len(calls) == 2
        assert (tmp_path / ".a.book.lock").exists()


def test_a_file_system_without_locks_is_written_to_all_the_same(tmp_path, monkeypatch):
    from outflank.formats import files

    def none(handle):
        raise OSError(errno.ENOTSUP, "no locks here")

    monkeypatch.setattr(files, "lock", none)
    with file_lock(tmp_path / "x", "busy"):
        pass


def test_one_process_at_a_time_measures_a_result(tmp_path):
    with file_lock(tmp_path / "depths.json", ""), pytest.raises(OutflankError, match="another process"):
        lab.run("depths", out=tmp_path, depths=(1,))
    with pytest.raises(OutflankError, match="No such file"):
        lab.run("depths", out=tmp_path / "none", resume=True)
    assert not (tmp_path / "none").exists()


# --- what commands write ---


def test_a_picture_is_not_overwritten_unasked_and_minus_is_standard_output(run, tmp_path):
    path = tmp_path / "board.svg"
    assert run("show", "f5", "--svg", path)[0] == 0
    drawn = path.read_text(encoding="utf-8")
    path.write_text("mine")
    status, out, err = run("show", "f5", "--svg", path)
    assert (status, out) == (2, "")
    assert "exists already; --force" in err
    assert path.read_text() == "mine"
    assert run("show", "f5", "--svg", path, "--force")[0] == 0
    assert path.read_text(encoding="utf-8") == drawn
    assert run("show", "f5", "--svg", "-") == (0, drawn, "")


def test_a_list_without_a_game_is_a_line_and_status_1(run, saved):
    status, out, err = run("games", saved / "othello.ggf", "--player", "compter")
    assert (status, out) == (1, "")
    assert err == f"outflank: {saved / 'othello.ggf'}: no such game\n"
    assert run("games", saved / "othello.ggf", "--player", "compter", "--json")[0] == 1
    assert run("games", saved / "othello.ggf", "--limit", 0) == (0, "", "")
    assert run("games", saved / "othello.ggf")[0] == 0


def test_a_review_is_not_overwritten_unasked_and_minus_is_standard_output(run, saved, monkeypatch):
    monkeypatch.setattr(review_command, "judge_moves", lambda *arguments, **options: iter(()))
    game = ("review", "--file", saved / "othello.ggf", "--number", 2)
    assert run(*game, "--out", saved)[0] == 0
    page = (saved / "review.html").read_text(encoding="utf-8")
    (saved / "review.svg").write_text("mine")
    (saved / "review.html").unlink()
    status, out, err = run(*game, "--out", saved)
    assert (status, out) == (2, "")
    assert "review.svg exists already; --force" in err
    assert not (saved / "review.html").exists()
    assert run(*game, "--out", saved, "--force")[0] == 0
    assert "<svg" in (saved / "review.svg").read_text(encoding="utf-8")
    status, out, err = run(*game, "--out", "-")
    assert (status, err) == (0, "")
    assert out.startswith("<!DOCTYPE html>") == page.startswith("<!DOCTYPE html>")
    assert out.rstrip().endswith("</html>")
    assert run(*game, "--out", "-", "--json")[0] == 2
    assert "--number" in run("review", "--file", saved / "othello.ggf")[2]


def test_a_picture_on_a_full_disk_is_one_line(run, tmp_path, monkeypatch):
    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    status, _, err = run("show", "f5", "--svg", tmp_path / "board.svg")
    assert status == 2
    assert err == f"outflank: {tmp_path / 'board.svg'}: No space left on device\n"
    assert list(tmp_path.iterdir()) == []


# --- what was saved opens everywhere ---

SAVED = {
    "othello": f"(;GM[Othello]PB[one]TY[8]BO[8 {'-' * 27}O*------*O{'-' * 27} *]B[F5//0.1]W[D6]B[C3];)\n",
    "abalone": "game: abalone\nblack: one\nwhite: other\nstart: belgian-daisy\n1. A1B2 {+1 0.1s} I5H5\n2. A2B3\n",
}
ENDS = {"othello": "ggf", "abalone": "abalone"}


@pytest.fixture
def saved(tmp_path):
    """A file with two games of each kind."""
    for game, text in SAVED.items():
        (tmp_path / f"{game}.{ENDS[game]}").write_text(f"{text}\n{text}")
    return tmp_path


@pytest.mark.parametrize("game", SAVED)
def test_a_saved_game_opens_in_every_command(run, saved, game):
    file = saved / f"{game}.{ENDS[game]}"
    for arguments in (
        ["show", "--json"],
        ["perft", "--depth", "1", "--json"],
        ["book", "show", "--json"],
        ["play", "--black", "first", "--white", "human"],
    ):
        status, out, err = run(*arguments, "--file", file, "--number", 2)
        assert status in (0, 1), err
        assert not err
        assert out
        assert run(*arguments, "--file", file, "--number", 3)[0] == 2
    assert len(run("show", "--json", "--file", file)[1].splitlines()) == 2
    assert "--number" in run("perft", "--depth", "1", "--file", file)[2]
    assert len(run("games", file)[1].splitlines()) == 3
    assert run("convert", file, "-", "--to", ENDS[game])[0] == 0


@pytest.mark.parametrize("game", SAVED)
def test_a_saved_game_is_an_opening_and_opens_over_gtp(saved, game):
    file = saved / f"{game}.{ENDS[game]}"
    board = Board.from_text(SAVED[game])
    assert len(board.moves) == 3
    start = OthelloBoard.start() if game == "othello" else AbaloneBoard.start("belgian-daisy")
    assert Openings(str(file), start, seed=1, count=1)[0].moves == board.moves
    over_gtp = GtpGame(game)
    over_gtp.load(str(file))
    assert over_gtp.board == board


def test_every_position_of_a_file_is_searched(run, tmp_path):
    file = tmp_path / "two.obf"
    lines = ["-----XO--OX----- X", "----XXX--OX----- O"]
    file.write_text("\n".join(lines) + "\n")
    told = run("search", "--file", file, "--depth", 1, "--workers", 1, "--json")[1].splitlines()
    found = [json.loads(line) for line in told if '"outflank/search/1"' in line]
    assert [each["position"] for each in found] == lines
    status, out, _ = run("search", "--file", file, "--depth", 1, "--workers", 1)
    assert status == 0
    assert [line for line in out.splitlines() if line.startswith("position ")] == ["position 1 of 2", "position 2 of 2"]
    only = run("search", "--file", file, "--depth", 1, "--workers", 1, "--number", 2, "--json")[1].splitlines()
    assert json.loads(only[-1])["position"] == lines[1]


def test_ctrl_c_ends_all_searches():
    statuses = iter([1, 130, 0])
    assert _search_all([OthelloBoard.start()] * 3, lambda board: next(statuses), as_json=True) == 130
    assert list(statuses) == [0]
    statuses = iter([0, 1, 0])
    assert _search_all([OthelloBoard.start()] * 3, lambda board: next(statuses), as_json=True) == 1
