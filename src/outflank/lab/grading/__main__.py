"""Program that runs the checks of an assignment on a submission, in a process of its own.

It reads a JSON object from standard input: the submission's file, the number of the assignment, the seed, and whether
to run the checks that need compiled kernels or all other checks. It prints a line when it is ready. When it has
imported the submission, it prints a line with the reason why the submission cannot be graded, or with an empty text.
Then it prints a line for each check: whether it passed, and the feedback. The submission's own output goes to standard
error.
"""

import json
import os
import sys
import traceback
from types import ModuleType

from outflank.errors import OutflankError
from outflank.kernels.compiler import compiler_message
from outflank.lab.grading.assignment import Assignment, Check, Wrong
from outflank.lab.grading.submission import MEMORY_BYTES, assignment_numbered
from outflank.plugins import error_text
from outflank.user_modules import import_user_module


def main() -> None:
    """Run the requested checks and print their results."""
    request = json.load(sys.stdin)
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    _limit_memory()
    assignment = assignment_numbered(request["assignment"])
    print("ready", file=results, flush=True)
    program, trouble = _load(request["file"], assignment)
    print(json.dumps(trouble), file=results, flush=True)
    for check in assignment.checks:
        if program is not None and check.compiled is request["compiled"]:
            print(json.dumps(_result_of(check, program, request["seed"])), file=results, flush=True)
    os._exit(0)  # threads that the submission has left behind do not delay the end


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # on Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def _load(file: str, assignment: Assignment) -> tuple[ModuleType | None, str]:
    """Return the imported submission and "", or None and the reason why it cannot be graded."""
    try:
        program = import_user_module(file)
    except OutflankError as error:
        return None, f"it cannot be imported: {str(error).partition(': ')[2]}"
    missing = assignment.missing_names(program)
    return (None, f"it does not define {', '.join(missing)}") if missing else (program, "")


def _result_of(check: Check, program: ModuleType, seed: int) -> tuple[bool, str]:
    try:
        return True, check.run(program, seed)
    except Wrong as wrong:
        return False, str(wrong)
    except SystemExit:
        return False, "the program calls sys.exit"
    except MemoryError:
        return False, f"the program needs more than {MEMORY_BYTES >> 30} GiB"
    except RecursionError:
        return False, "the recursion has no end"
    except BaseException as error:  # a submission may raise anything
        return False, _failure_text(error, str(program.__file__))


def _failure_text(error: BaseException, file: str) -> str:
    """Return an exception in one line, with the submission's line at which it was raised."""
    if (message := compiler_message(error, file)) is not None:
        return f"it cannot be compiled: {message}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    place = f"line {lines[-1]}: " if lines else ""
    return " ".join(f"{place}{type(error).__name__}: {error_text(error)}".split())


if __name__ == "__main__":
    main()
