"""A message that is printed when this process is killed, by a second process that outlives it."""

import contextlib
import subprocess
import sys

_LISTENER = """
import sys
words, last = sys.argv[1], ""
for line in sys.stdin:
    last = line.rstrip("\\n")
if last != "at ease":
    sys.stderr.write(f"outflank: {words}{'; ' + last if last else ''}\\n")
"""


class DeathNotice:
    """Prints `words`, and the last note, if this process ends without `close`.

    An MPI launcher kills all ranks when one dies, so a rank has no chance to print anything itself.
    """

    def __init__(self, words: str) -> None:
        # In a session of its own: otherwise it would be killed together with this process.
        self._listener = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _LISTENER, words],
            stdin=subprocess.PIPE,
            start_new_session=True,
            text=True,
        )

    def note(self, text: str) -> None:
        """Set the text that is printed after `words`."""
        if self._listener.stdin is not None and not self._listener.stdin.closed:
            with contextlib.suppress(OSError):
                self._listener.stdin.write(" ".join(text.split()) + "\n")
                self._listener.stdin.flush()

    def close(self) -> None:
        """End the second process without a message."""
        self.note("at ease")
        if self._listener.stdin is not None:
            with contextlib.suppress(OSError):
                self._listener.stdin.close()
        self._listener.wait()
