"""How often a connection may ask."""

import time
from collections.abc import Callable


class Bucket:
    """Holds so many tokens at most, and gets some every second; a message takes one.

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
        self._has, self._when = float(most), clock()

    def take(self) -> bool:
        """Whether there was one left."""
        now = self._clock()
        self._has = min(float(self._most), self._has + (now - self._when) * self._a_second)
        self._when = now
        if self._has < 1.0:
            return False
        self._has -= 1.0
        return True
