"""A seam for those who watch kernels in the interpreter: every access to shared memory, and every wait.

While an observer is installed, the Python twins of atomics, words and waiting tell it what they do, and records
are handed out as `WatchedRecord`: every read and write of their fields is told as well. An access is first
announced (`turn`: here another thread may go on), then told (`touched`), and nothing comes between the telling
and the access itself. Compiled kernels know nothing of this; without an observer a twin looks at one name more.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt


class Observer(Protocol):
    """Who is told. Threads that it was not told of do as they like."""

    def turn(self, atomic: bool) -> None:
        """This thread is about to touch memory: another one may go on instead."""

    def touched(self, address: int, kind: str, order: str) -> None:
        """The element at `address` is touched now: a `read`, a `write`, or both in one (`update`).

        The order is one of C11's, `plain` where the access is no atomic, or `system` where the system makes it.
        """

    def rests(self, how: str) -> None:
        """This thread waits a little: a `pause`, or it may `yield` its core."""

    def sleeps(self, address: int) -> None:
        """This thread sleeps on the word at `address`, for some time or until it is woken."""

    def wakes(self, address: int, count: int) -> None:
        """Up to `count` of those who sleep on the word wake."""

    def placed(self, address: int, dtype: np.dtype[Any]) -> None:
        """A record of this type lies at `address`."""

    def started(self, thread: threading.Thread) -> None:
        """This thread has started another."""

    def run(self, body: Callable[[], None]) -> None:
        """This thread, which another has started, begins: call `body`."""

    def joins(self, thread: threading.Thread) -> None:
        """This thread waits for the end of another."""


observer: Observer | None = None
"""Who watches now. Only one search at a time can be watched in a process."""

_known: dict[tuple[int, int], tuple["WatchedRecord", np.dtype[Any]]] = {}
"""Records by address and type (kept alive, for it is known by its identity): they are asked for again and again."""


@contextmanager
def watched_by(who: Observer) -> Iterator[None]:
    """Let `who` watch. Records that were made before are not seen."""
    global observer
    if observer is not None:
        raise RuntimeError("kernels are being watched already")
    observer = who
    try:
        yield
    finally:
        observer = None
        _known.clear()


class WatchedRecord:
    """A record whose fields are watched. For kernels, and for Python's own code, it is the record."""

    __slots__ = ("_address", "_arrays", "_bare", "_fields")
    _address: int
    _arrays: dict[str, "WatchedArray"]
    _bare: Any
    _fields: dict[str, tuple[int, bool]]

    def __init__(self, bare: Any, address: int) -> None:
        fields = bare.dtype.fields
        places = {name: (place[1], place[0].subdtype is not None) for name, place in fields.items()}
        for name, value in (("_bare", bare), ("_address", address), ("_fields", places), ("_arrays", {})):
            object.__setattr__(self, name, value)
        if observer is not None:
            observer.placed(address, bare.dtype)

    def __getattr__(self, name: str) -> Any:
        if name not in self._fields:
            raise AttributeError(name)
        return self[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __getitem__(self, name: str) -> Any:
        offset, many = self._fields[name]
        if many:
            if name not in self._arrays:
                self._arrays[name] = WatchedArray.over(self._bare[name])
            return self._arrays[name]
        if observer is not None:
            observer.turn(False)
            observer.touched(self._address + offset, "read", "plain")
        return self._bare[name]

    def __setitem__(self, name: str, value: Any) -> None:
        if observer is not None:
            observer.turn(False)
            observer.touched(self._address + self._fields[name][0], "write", "plain")
        self._bare[name] = value


class WatchedArray(np.ndarray[Any, Any]):
    """An array whose elements are watched, records or numbers. What is computed of it is not."""

    _bare: Any
    _address: int | None = None  # None: a result of NumPy's, which nobody shares
    _records: dict[int, WatchedRecord]

    @classmethod
    def over(cls, array: npt.NDArray[Any]) -> "WatchedArray":
        """`array`, watched from now on."""
        watched = array.view(cls)
        watched._bare = array.view(np.ndarray)
        watched._address = array.__array_interface__["data"][0]
        watched._records = {}
        return watched

    def __getitem__(self, key: Any) -> Any:
        if self._address is None:
            return super().__getitem__(key)
        if self.dtype.fields is not None:
            return self._of_records(key)
        if not _is_element(key, self.ndim):
            part = self._bare[key]
            if not isinstance(key, int | np.integer):  # a row is not read before its elements are
                _tell_all(part, "read")
            return WatchedArray.over(part)
        if observer is not None:
            observer.turn(False)
        value = self._bare[key]  # first: an index that is too great ends a loop over the array, and touches nothing
        if observer is not None:
            observer.touched(_element(self._address, self.strides, key), "read", "plain")
        return value

    def _of_records(self, key: Any) -> Any:
        if isinstance(key, str):
            column = self._bare[key]
            _tell_all(column, "read")
            return column
        if not isinstance(key, int | np.integer):
            return WatchedArray.over(self._bare[key])
        index = int(key) % len(self) if -len(self) <= key < len(self) else int(key)
        if index not in self._records:
            assert self._address is not None
            self._records[index] = WatchedRecord(self._bare[index], self._address + index * self.strides[0])
        return self._records[index]

    def __setitem__(self, key: Any, value: Any) -> None:
        if self._address is None:
            super().__setitem__(key, value)
            return
        if self.dtype.fields is None and _is_element(key, self.ndim):
            if observer is not None:
                observer.turn(False)
                observer.touched(_element(self._address, self.strides, key), "write", "plain")
        else:
            _tell_all(self._bare[key], "write")
        self._bare[key] = value


def _is_element(key: Any, dimensions: int) -> bool:
    """Whether an index names one element."""
    if isinstance(key, tuple):
        return len(key) == dimensions and all(isinstance(one, int | np.integer) for one in key)
    return dimensions == 1 and isinstance(key, int | np.integer)


def _element(address: int, strides: tuple[int, ...], key: Any) -> int:
    """Where an element lies."""
    if isinstance(key, tuple):
        return address + sum(int(one) * stride for one, stride in zip(key, strides, strict=True))
    return address + int(key) * strides[0]


def _tell_all(part: npt.NDArray[Any], kind: str) -> None:
    """Tell of every element of a part of an array."""
    if observer is None:
        return
    observer.turn(False)
    start: int = part.__array_interface__["data"][0]
    for index in np.ndindex(part.shape):
        observer.touched(_element(start, part.strides, index), kind, "plain")


# --- for the twins; an observer is there when they call ---


def found(target: Any, key: Any) -> tuple[Any, int]:
    """The memory behind `target`, unwatched, and the address of its element `key`."""
    if isinstance(target, WatchedRecord):
        return target._bare, target._address + target._fields[key][0]
    if isinstance(target, np.void):
        assert target.dtype.fields is not None
        return target, _start(np.frombuffer(target, np.uint8)) + target.dtype.fields[key][1]
    bare = target.view(np.ndarray)
    return bare, _element(_start(bare), bare.strides, key)


def _start(array: npt.NDArray[Any]) -> int:
    start: int = array.__array_interface__["data"][0]
    return start


def reached(target: Any, key: Any, kind: str, order: str) -> Any:
    """Announce and tell an atomic access to a field or element; the memory that holds it."""
    assert observer is not None
    observer.turn(True)
    bare, address = found(target, key)
    observer.touched(address, kind, order)
    return bare


def reached_word(address: int, kind: str) -> None:
    """Announce and tell a relaxed access to a word."""
    assert observer is not None
    observer.turn(True)
    observer.touched(address, kind, "relaxed")


def record(address: int, dtype: np.dtype[Any], bare: Callable[[], Any]) -> Any:
    """The record at `address`, watched; `bare` makes the unwatched one."""
    key = address, id(dtype)
    if key not in _known:
        _known[key] = WatchedRecord(bare(), address), dtype
    return _known[key][0]
