"""Tables on narrow terminals: every number and word whole."""

import io

import pytest
from rich.console import Console

from outflank.ui.cli.shared.terminal_tables import print_table

pytestmark = pytest.mark.interpreted_only

COLUMNS = ["scheme", "workers", "wall (s)", "efficiency", "nodes", "evaluations/s as speed-up (003)", *"abcdefgh"]
ROW = ["ybw", "2", "0.1234", "0.9876", "116,623", "1.994", *["1,234,567"] * 8]


def printed(width, columns, rows):
    text = io.StringIO()
    print_table(Console(file=text, width=width, force_terminal=True, color_system=None), "scaling", columns, rows)
    return text.getvalue()


@pytest.mark.parametrize("width", [30, 40, 60, 80, 100, 200])
@pytest.mark.parametrize("count", [1, 3, 20])
def test_no_number_and_no_word_is_broken(width, count):
    rows = [["ybw" if number % 2 else "jamboree", str(number), *ROW[2:]] for number in range(count)]
    text = printed(width, COLUMNS, rows)
    assert max(len(line.rstrip()) for line in text.splitlines()) <= width
    words = text.split()
    for cell in {*(word for column in COLUMNS for word in column.split()), *(cell for row in rows for cell in row)}:
        assert cell in words
    assert words.count("1,234,567") == 8 * count
    assert words.count("scaling") == 1


def test_a_table_that_fits_is_one_table():
    assert printed(80, ["scheme", "nodes"], [["ybw", "116,623"], ["alone", "5"]]).count("scheme") == 1
