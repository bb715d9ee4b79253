"""Rate limit of a connection."""

import time
from collections.abc import Callable


class Bucket:
    """A token bucket: holds at most `most` tokens, and gets `a_second` every second; a message takes one.

    >>> now = [0.0]
    >>> bucket = Bucket(1.0, 2, lambda: now[0])
    >>> bucket.take(), bucket.take(), bucket.take()
    (True, True, False)
    >>> now[0] = 1.0
    >>> bucket.take(), bucket.take()
    (True, False)
    """

    def __init__(self, a_second: float, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._a_second, self._most, self._clock = a_second, most, clock
        self._tokens, self._updated = float(most), clock()

    def take(self) -> bool:
        """Take a token; return whether there was one."""
        now = self._clock()
        self._tokens = min(float(self._most), self._tokens + (now - self._updated) * self._a_second)
        self._updated = now
        if self._tokens < 1.0:
            return False
        self._tokens -= 1.0
        return True
