"""What users are told of kernel code that does not compile."""

import sys
from types import ModuleType
from typing import NamedTuple

import pytest

import outflank
from outflank import OthelloBoard, OutflankError
from outflank.games.evaluation import value
from outflank.kernels.compiler import compiler_message, explanation_of, inner, kernel

WEIGHTS = {"corner": 12}


def weight(worth):
    return 2 * worth


class Forgetful(NamedTuple):
    worth: int


@value.register(Forgetful)
def _(evaluation, game, position, state):
    return weight(evaluation.worth)


@kernel
def looked_up(number):
    return WEIGHTS[number]


@kernel
def borrowed(number):
    return beside.weight(number)


@kernel
def mistaken(number):
    return number.nothing


@inner
def half(number):
    return number / "nothing"


@kernel
def calls_a_mistaken_one(number):
    return half(number)


beside = ModuleType("beside")
beside.weight = weight


def last_line(function) -> int:
    return function.py_func.__code__.co_firstlineno + 2


@pytest.mark.compiled
def test_a_helper_without_inner_is_named_in_a_sentence():
    with pytest.raises(OutflankError) as caught:
        outflank.search(OthelloBoard.start(), depth=2, workers=1, evaluation=Forgetful(1))
    line = value.dispatch(Forgetful).__code__.co_firstlineno + 2
    assert str(caught.value) == (
        f"test_compile_errors.py, line {line}: weight is plain Python, which kernel code cannot call: "
        "write @inner above it (from outflank.kernels.compiler import inner)"
    )
    assert caught.value.__suppress_context__  # the compiler's own text is not shown


@pytest.mark.compiled
def test_so_is_what_kernels_cannot_use(monkeypatch):
    monkeypatch.setitem(sys.modules, "beside", beside)
    with pytest.raises(OutflankError, match=f"line {last_line(looked_up)}: WEIGHTS is a dict"):
        looked_up("corner")
    with pytest.raises(OutflankError, match=f"line {last_line(borrowed)}: weight is plain Python"):
        borrowed(1)


@pytest.mark.compiled
def test_what_is_no_common_mistake_is_left_to_the_compiler():
    with pytest.raises(Exception, match="nothing") as caught:
        mistaken(1)
    assert not isinstance(caught.value, OutflankError)
    message = f"line {last_line(mistaken)}: Unknown attribute 'nothing' of type int64"
    assert compiler_message(caught.value, __file__) == message
    with pytest.raises(Exception, match="nothing") as caught:
        calls_a_mistaken_one(1)
    line = half.__code__.co_firstlineno + 2
    assert compiler_message(caught.value, __file__) == (
        f"line {line}: No implementation of function Function(<built-in function truediv>) found for signature: "
        "truediv(int64, Literal[str](nothing))"
    )


@pytest.mark.interpreted_only
def test_the_compilers_colours_are_no_hindrance():
    from numba.core.errors import TypingError

    told = "\x1b[1mUntyped global name 'weight':\x1b[0m \x1b[1mCannot determine Numba type of <class 'function'>\x1b[0m"
    found = explanation_of(TypingError(f'{told}\n\n\x1b[1mFile "own.py", line 7:\x1b[0m'))
    assert str(found).startswith("own.py, line 7: weight is plain Python")


@pytest.mark.interpreted_only
def test_the_message_of_a_rejected_candidate_is_the_innermost():
    kind = type("TypingError", (Exception,), {"__module__": "numba.core.errors"})
    told = """Failed in nopython mode pipeline (step: nopython frontend)
No implementation of function Function(<function play>) found for signature:

 >>> play(int64)

There are 2 candidate implementations:
      - Of which 2 did not match due to:
      Overload in function 'play': File: rules.py: Line 30.
        With argument(s): '(int64)':
       Rejected as the implementation raised a specific error:
         TypingError: Failed in nopython mode pipeline (step: nopython frontend)
       Cannot unify int64 and none for 'best.2', defined at /home/me/own.py (7)

       File "../me/own.py", line 7:
       def play(game):
  raised from /numba/typeinfer.py:1091
"""
    found = compiler_message(kind(told), "/home/me/own.py")
    assert found == "line 7: Cannot unify int64 and none for 'best.2', defined at own.py (7)"
    assert compiler_message(ValueError(told), "own.py") is None


@pytest.mark.interpreted_only
def test_other_errors_are_nobodys_business():
    assert (
        explanation_of(ValueError("Untyped global name 'x': Cannot determine Numba type of <class 'function'>")) is None
    )


@pytest.mark.interpreted_only
def test_the_compiler_for_devices_is_understood_as_well():
    """numba-cuda has a module of errors of its own."""
    kind = type("TypingError", (Exception,), {"__module__": "numba.cuda.core.errors"})
    told = "Untyped global name 'helper': Cannot determine Numba type of <class 'function'>"
    found = explanation_of(kind(f'{told}\n\nFile "own.py", line 7:'))
    assert str(found).startswith("own.py, line 7: helper is plain Python, which kernel code cannot call")
