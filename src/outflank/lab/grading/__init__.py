"""The autograder of the course: runs a student's program in a child process and checks it, by counts and exact values.

    grade("assignment_4.py").score

`ASSIGNMENTS` has the assignments by number. A check compares whole numbers (values, nodes, messages), repeats a run
with other numbers of workers, looks for races, or counts work; no check is decided by seconds. Positions are drawn from
a seed, so that known answers do not help.
"""

from outflank.lab.grading.submission import ASSIGNMENTS, CheckResult, Grade, grade

__all__ = ["ASSIGNMENTS", "CheckResult", "Grade", "grade"]
