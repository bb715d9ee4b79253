"""`outflank lab grade`: the score of a student's program for an assignment of the course."""

from typing import Any

import click

from outflank.lab.grading import ASSIGNMENTS, Grade, grade
from outflank.lab.grading.submission import SECONDS
from outflank.ui.cli.shared.json_documents import GradeCheckDocument, GradeDocument
from outflank.ui.cli.shared.position_options import output
from outflank.ui.cli.shared.progress_line import progress_line
from outflank.ui.cli.shared.terminal_tables import print_table
from outflank.validation.documents import in_ascii


def _grade(file: str, assignment: int | None, as_json: bool, **settings: Any) -> int:
    """Grade the program in FILE: run the checks of an assignment of the course, and print points and feedback.

    The status is 0 if every check passed, 1 if one failed, and 2 if the file cannot be graded. The program
    runs in a process of its own, with limits on time and memory, but with your rights: grade only programs that you
    would run.

    \b
      outflank lab grade assignment_4.py
      outflank lab grade --assignment 4 --json submissions/doe.py
    """
    with progress_line(quiet=as_json, throttled=False) as show:
        result = grade(file, assignment, progress=lambda name: show(f"check {name!r} …"), **settings)
    if as_json:
        print(in_ascii(grade_document(result)), flush=True)
    else:
        _show(result)
    return 0 if result.passed else 1


def grade_document(result: Grade) -> GradeDocument:
    """Return a grade as the JSON object that `--json` prints."""
    return GradeDocument(
        assignment=result.assignment,
        title=result.title,
        score=result.score,
        points=result.points,
        checks=tuple(
            GradeCheckDocument(name=check.name, points=check.points, passed=check.passed, feedback=check.feedback)
            for check in result.checks
        ),
    )


def _show(result: Grade) -> None:
    console = output()
    rows = [
        [check.name, f"{check.points if check.passed else 0} of {check.points}", check.feedback]
        for check in result.checks
    ]
    print_table(console, f"Assignment {result.assignment}: {result.title}", ["check", "points", "feedback"], rows)
    console.print(f"{result.score} of {result.points} points")


class _AssignmentNumber(click.IntRange):
    """Number of an assignment. Its error messages do not speak of integer ranges."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            return int(super().convert(value, param, ctx))
        except click.BadParameter:
            self.fail(f"{value!r} is not a number from {self.min} to {self.max}", param, ctx)


command = click.Command(
    "grade",
    params=[
        click.Argument(["file"], type=click.Path()),
        click.Option(
            ["--assignment"],
            type=_AssignmentNumber(min(ASSIGNMENTS), max(ASSIGNMENTS)),
            help="The assignment's number.  [the file's ASSIGNMENT]",
        ),
        click.Option(["--seed"], type=int, default=1, help="From which positions are drawn.", show_default=True),
        click.Option(["--quick"], is_flag=True, help="Leave out the checks that compile the program."),
        click.Option(
            ["--seconds"],
            type=click.FloatRange(min=0, min_open=True),
            default=SECONDS,
            help="Limit on each check.",
            show_default=True,
        ),
        click.Option(["--json", "as_json"], is_flag=True, help="Print one JSON object."),
    ],
    callback=_grade,
    help=_grade.__doc__,
)
