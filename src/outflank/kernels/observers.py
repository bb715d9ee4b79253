"""A hook for tools that trace kernels in the interpreter: every access to shared memory, and every wait.

While an observer is installed, the functions of `atomics`, `memory` and `waiting` report to it. Records are
`WatchedRecord`s, which report every read and write of their fields. An access is first announced (`turn`: here another
thread may be scheduled), then reported (`touched`), and nothing happens between the report and the access itself.
Compiled kernels are not traced. Without an observer, tracing costs only the read of one global name.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt


class Observer(Protocol):
    """Receives every access to shared memory. Threads that it has not registered are not traced."""

    def turn(self, atomic: bool) -> None:
        """Announce that this thread is about to access memory: another thread may be scheduled first."""

    def touched(self, address: int, kind: str, order: str) -> None:
        """Report that the element at `address` is accessed now: a `read`, a `write`, or both in one (`update`).

        `order` is a memory order of C11, `plain` for a non-atomic access, or `system` for an access by the operating
        system.
        """

    def rests(self, how: str) -> None:
        """Report that this thread waits briefly: a `pause`, or a `yield` of its core."""

    def sleeps(self, address: int) -> None:
        """Report that this thread sleeps on the word at `address`, until a timeout or until it is woken."""

    def wakes(self, address: int, count: int) -> None:
        """Report that this thread wakes up to `count` threads that sleep on the word at `address`."""

    def placed(self, address: int, dtype: np.dtype[np.void]) -> None:
        """Report that there is a record of this type at `address`."""

    def started(self, thread: threading.Thread) -> None:
        """Report that this thread has started another thread."""

    def run(self, body: Callable[[], None]) -> None:
        """Run `body`, the work of this thread, which has just been started."""

    def joins(self, thread: threading.Thread) -> None:
        """Report that this thread waits for the end of another thread."""


observer: Observer | None = None
"""The installed observer. Only one search at a time can be traced in a process."""

_watched_records: dict[tuple[int, int], tuple["WatchedRecord", np.dtype[np.void]]] = {}
"""Traced records by address and `id` of their type. The type is stored too, so that its `id` remains valid."""


@contextmanager
def watched_by(watcher: Observer) -> Iterator[None]:
    """Install `watcher` as the observer during the block. Records that were created before are not traced."""
    global observer
    if observer is not None:
        raise RuntimeError("kernels are being watched already")
    observer = watcher
    try:
        yield
    finally:
        observer = None
        _watched_records.clear()


class WatchedRecord:
    """A record that reports every access to its fields. Kernels and Python code use it like the record itself."""

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

    def __setattr__(self, name: str, value: object) -> None:
        self[name] = value

    def __getitem__(self, name: str) -> Any:
        offset, is_array = self._fields[name]
        if is_array:
            if name not in self._arrays:
                self._arrays[name] = WatchedArray.over(self._bare[name])
            return self._arrays[name]
        if observer is not None:
            observer.turn(False)
            observer.touched(self._address + offset, "read", "plain")
        return self._bare[name]

    def __setitem__(self, name: str, value: object) -> None:
        if observer is not None:
            observer.turn(False)
            observer.touched(self._address + self._fields[name][0], "write", "plain")
        self._bare[name] = value


class WatchedArray(np.ndarray[Any, Any]):
    """An array of records or numbers that reports accesses to its elements. Arrays computed from it report nothing."""

    _bare: Any
    _address: int | None = None  # None: a result computed by NumPy, which threads do not share
    _records: dict[int, WatchedRecord]

    @classmethod
    def over(cls, array: npt.NDArray[Any]) -> "WatchedArray":
        """Return a view of `array` that reports every access."""
        watched = array.view(cls)
        watched._bare = array.view(np.ndarray)
        watched._address = array.__array_interface__["data"][0]
        watched._records = {}
        return watched

    def __getitem__(self, key: Any) -> Any:
        if self._address is None:
            return super().__getitem__(key)
        if self.dtype.fields is not None:
            return self._record_item(key)
        if not _is_element(key, self.ndim):
            part = self._bare[key]
            if not isinstance(key, int | np.integer):  # taking a row does not read its elements
                _report_all(part, "read")
            return WatchedArray.over(part)
        if observer is not None:
            observer.turn(False)
        value = self._bare[key]  # before the report: an index that is too large ends a loop, and accesses nothing
        if observer is not None:
            observer.touched(_element(self._address, self.strides, key), "read", "plain")
        return value

    def _record_item(self, key: Any) -> Any:
        if isinstance(key, str):
            column = self._bare[key]
            _report_all(column, "read")
            return column
        if not isinstance(key, int | np.integer):
            return WatchedArray.over(self._bare[key])
        index = int(key) % len(self) if -len(self) <= key < len(self) else int(key)
        if index not in self._records:
            assert self._address is not None
            self._records[index] = WatchedRecord(self._bare[index], self._address + index * self.strides[0])
        return self._records[index]

    def __setitem__(self, key: Any, value: object) -> None:
        if self._address is None:
            super().__setitem__(key, value)
            return
        if self.dtype.fields is None and _is_element(key, self.ndim):
            if observer is not None:
                observer.turn(False)
                observer.touched(_element(self._address, self.strides, key), "write", "plain")
        else:
            _report_all(self._bare[key], "write")
        self._bare[key] = value


def _is_element(key: Any, dimensions: int) -> bool:
    """Return whether an index selects one element."""
    if isinstance(key, tuple):
        return len(key) == dimensions and all(isinstance(index, int | np.integer) for index in key)
    return dimensions == 1 and isinstance(key, int | np.integer)


def _element(address: int, strides: tuple[int, ...], key: Any) -> int:
    """Return the address of element `key` of an array at `address`."""
    if isinstance(key, tuple):
        return address + sum(int(index) * stride for index, stride in zip(key, strides, strict=True))
    return address + int(key) * strides[0]


def _report_all(part: npt.NDArray[Any], kind: str) -> None:
    """Report an access to every element of a part of an array."""
    if observer is None:
        return
    observer.turn(False)
    start: int = part.__array_interface__["data"][0]
    for index in np.ndindex(part.shape):
        observer.touched(_element(start, part.strides, index), kind, "plain")


# --- for `atomics`, `memory` and `waiting`, which call these only while an observer is installed ---


def locate(target: Any, key: Any) -> tuple[Any, int]:
    """Return the untraced record or array behind `target`, and the address of its element `key`."""
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


def announce_access(target: Any, key: Any, kind: str, order: str) -> Any:
    """Announce and report an atomic access to a field or element; return the untraced record or array."""
    assert observer is not None
    observer.turn(True)
    bare, address = locate(target, key)
    observer.touched(address, kind, order)
    return bare


def announce_word_access(address: int, kind: str) -> None:
    """Tell the observer of a relaxed atomic access to the word at `address`, before it and as it happens."""
    assert observer is not None
    observer.turn(True)
    observer.touched(address, kind, "relaxed")


def watched_record(address: int, dtype: np.dtype[np.void], bare: Callable[[], Any]) -> Any:
    """Return the traced record at `address`; `bare` creates the untraced one."""
    key = address, id(dtype)
    if key not in _watched_records:
        _watched_records[key] = WatchedRecord(bare(), address), dtype
    return _watched_records[key][0]
