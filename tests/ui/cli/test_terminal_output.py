"""What a terminal shows: letters or discs, words left whole, and what a mistyped command could have been."""

import io
import re

import click
import pytest
from click.testing import CliRunner
from rich.console import Console

from outflank import Limits, OthelloBoard, search
from outflank.ui.cli import COMMANDS, cli, main
from outflank.ui.cli.game_files import games_command
from outflank.ui.cli.searching import search_view as view
from outflank.ui.cli.shared import progress_line
from outflank.ui.cli.shared.board_view import draw
from outflank.ui.cli.shared.plain_text import use_plain_text, wrapped_line
from outflank.ui.cli.shared.position_options import diagnostics, letters_only, output, scaled


def commands(group: click.Group, names: tuple[str, ...] = ()):
    context = click.Context(group)
    for name in group.list_commands(context):
        if name in ("lab",):  # made from the experiments' own options
            continue
        found = group.get_command(context, name)
        yield (*names, name)
        if isinstance(found, click.Group):
            yield from commands(found, (*names, name))


@pytest.mark.interpreted_only
def test_no_line_of_help_is_broken_at_80_columns():
    assert len(list(commands(cli))) > len(COMMANDS)
    for names in [(), *commands(cli)]:
        text = CliRunner().invoke(cli, [*names, "--help"], terminal_width=80).output
        assert [line for line in text.splitlines() if len(line) > 80] == []


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    ("arguments", "meant"), [(["serach"], "search"), (["book", "biuld"], "build"), (["cluster", "staus"], "status")]
)
def test_a_mistyped_command_gets_a_suggestion(arguments, meant):
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 2
    assert f"did you mean {meant!r}?" in done.output


@pytest.mark.interpreted_only
def test_an_error_of_the_system_without_text_is_told(monkeypatch, capsys):
    def full(*_, **__):
        raise OSError

    monkeypatch.setattr(cli, "main", full)
    monkeypatch.setattr("outflank.ui.cli.discard_output", lambda: None)
    with pytest.raises(SystemExit) as ended:
        main([])
    assert (ended.value.code, capsys.readouterr().err) == (2, "outflank: cannot write: OSError without a reason\n")


@pytest.mark.interpreted_only
def test_large_numbers_are_scaled():
    assert [scaled(number) for number in (0, 950, 12_345, 5.1e6, 2e9)] == ["0", "950", "12.3 k", "5.1 M", "2.0 G"]


class Stream(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def __init__(self, encoding: str = "utf-8") -> None:
        super().__init__(io.BytesIO(), encoding=encoding)

    def isatty(self) -> bool:
        return True

    def written(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode(self.encoding)  # type: ignore[attr-defined]


def drawn(stream: Stream, **environment: str) -> str:
    use_plain_text(stream)
    console = Console(file=stream, _environ={"TERM": "xterm-256color", **environment}, width=80, highlight=False)
    draw(console, OthelloBoard.from_text("f5d6"))
    return stream.written()


def test_discs_are_drawn_where_they_can_be_told_apart():
    assert "●" in drawn(Stream())


@pytest.mark.parametrize("environment", [{"TERM": "dumb"}, {"NO_COLOR": "1"}, {"TERM": "unknown"}])
def test_letters_are_drawn_where_there_is_no_colour(environment):
    shown = drawn(Stream(), **environment)
    assert "4 . . * O X . . ." in shown
    assert "●" not in shown


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_letters_are_drawn_on_streams_without_them(encoding):
    shown = drawn(Stream(encoding))
    assert "?" not in shown
    assert re.search(r"Othello 8(x|×)8", shown)
    assert "●" not in shown


@pytest.mark.interpreted_only
def test_the_c_locale_gets_ascii_at_a_terminal_and_behind_a_pipe(monkeypatch):
    for name in ("PYTHONIOENCODING", "PYTHONUTF8", "LC_CTYPE", "LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LC_ALL", "C")
    stream = Stream()
    use_plain_text(stream)
    assert stream.encoding == "ascii"
    stream.write("8×8 … ── 🎲")
    assert stream.written() == "8x8 ... -- ?"
    file = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    use_plain_text(file)
    assert file.encoding == "ascii"


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    ("told", "encoding"),
    [
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, "ascii"),  # as Python leaves LANG=C
        ({"LANG": "POSIX"}, "ascii"),
        ({"LANG": "C", "LC_CTYPE": "en_US.UTF-8"}, "utf-8"),
        ({"LC_ALL": "C.UTF-8"}, "utf-8"),
        ({"LC_ALL": "C", "PYTHONUTF8": "1"}, "utf-8"),
        ({"LC_ALL": "C", "PYTHONIOENCODING": "utf-8"}, "utf-8"),
        ({}, "utf-8"),
    ],
)
def test_ascii_is_for_those_who_ask_for_it(told, encoding, monkeypatch):
    for name in ("PYTHONIOENCODING", "PYTHONUTF8", "LC_ALL", "LC_CTYPE", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    file = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    use_plain_text(file)
    assert file.encoding == encoding


@pytest.mark.interpreted_only
def test_a_pipe_gets_letters():
    assert letters_only(Console(file=io.StringIO()))


@pytest.mark.parametrize("columns", [80, 60, 44])
def test_no_word_of_a_search_is_broken(columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    found = search(OthelloBoard.start(), Limits(depth=3), workers=1, evaluation="discs")
    console = Console(file=io.StringIO(), width=columns)
    console.print(view.iteration_grid([found]))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    words = {"depth", "discs", "time", "principal", "variation", *map(str, found.pv)}
    assert words <= set(text.split())


@pytest.mark.interpreted_only
@pytest.mark.parametrize("size", ["0", "1", "19", "-5", "x", "99999999999", "²", ""])
def test_a_width_that_nothing_fits_into_is_not_taken(size, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", size)
    monkeypatch.setenv("LINES", size)
    output().print("some words")
    diagnostics().print("some words")
    assert capsys.readouterr() == ("some words\n", "some words\n")
    assert 20 <= output().width <= 9999


@pytest.mark.interpreted_only
def test_an_error_is_folded_between_words_on_a_terminal_alone(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    line = "outflank: unknown command 'serach', did you mean 'search'? (known: search, perft)"
    lines = wrapped_line(line, Stream()).splitlines()
    assert max(map(len, lines)) <= 40
    assert " ".join(lines) == line
    assert wrapped_line(line, io.StringIO()) == line


@pytest.mark.interpreted_only
@pytest.mark.parametrize("columns", [72, 79, 80, 81, 200])
def test_a_list_of_games_cuts_no_move(columns, monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", str(columns))
    for text, moves, size in (("f5d6c3d3c4f4f6g5", 8, 2), ("game: abalone\nA1B2 I9H8 A2B3 I8H7", 4, 4)):
        stream = Stream()
        monkeypatch.setattr("sys.stdout", stream)
        path = tmp_path / "games"
        path.write_text(text)
        games_command.command.main([str(path)], standalone_mode=False)
        line = stream.written().splitlines()[1]
        assert len(line) <= columns
        opening = line.partition(f"  {moves:>5}  ")[2]
        assert opening in text
        assert {len(word) % size for word in opening.split()} == {0}


@pytest.mark.interpreted_only
@pytest.mark.parametrize("columns", [60, 80, 200])
def test_a_list_of_games_fits_its_terminal(columns, monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", str(columns))
    stream = Stream()
    monkeypatch.setattr("sys.stdout", stream)
    path = tmp_path / "a.ggf"
    board = "BO[8 ---------------------------O*------*O--------------------------- *]"
    path.write_text(f"(;GM[Othello]PC[An event]PB[Black of Long Name]PW[White of Long Name]{board}B[d3]W[c5];)")
    games_command.command.main([str(path)], standalone_mode=False)
    lines = stream.written().splitlines()
    assert len(lines) == 2
    assert max(map(len, lines)) <= columns
    assert ("An event" in lines[1]) == (columns == 200)


def test_progress_is_one_line_on_a_terminal(monkeypatch):
    stream = Stream()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", "xterm-256color")
    with progress_line.progress_line() as tell:
        tell("1 of 2")
        tell("2 of 2")
    assert re.search(r"1 of 2\s*\x1b\[2K|1 of 2\r\x1b\[2K", stream.written())
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    with progress_line.progress_line() as tell:
        tell("1 of 2")
    assert stream.getvalue() == ""


def test_a_result_replaces_the_progress_line(monkeypatch):
    stream = Stream()
    for name in ("sys.stdout", "sys.stderr"):
        monkeypatch.setattr(name, stream)
    monkeypatch.setenv("TERM", "xterm-256color")
    with progress_line.progress_line() as tell:
        tell("1 of 2, a long name")
        progress_line.print_result("first: 12")
        tell("2 of 2")
    progress_line.print_result("second: 34")
    assert shown(stream.written()) == ["first: 12", "second: 34"]


def shown(text: str) -> list[str]:
    """What a terminal shows after `text`, whose control sequences move to the line above or erase the line."""
    lines, row, column = [""], 0, 0
    for part in re.findall(r"\x1b\[\??\d*[A-Za-z]|[\r\n]|[^\x1b\r\n]+", text):
        if part == "\r":
            column = 0
        elif part == "\n":
            row, column = row + 1, 0
            lines += [""] * (row + 1 - len(lines))
        elif part == "\x1b[1A":
            row -= 1
        elif part == "\x1b[2K":
            lines[row] = ""
        elif not part.startswith("\x1b"):
            lines[row] = (lines[row].ljust(column)[:column] + part + lines[row][column + len(part) :]).rstrip()
            column += len(part)
    return [line for line in lines if line]
