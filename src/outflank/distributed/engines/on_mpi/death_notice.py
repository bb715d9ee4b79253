"""What is still said when a process is killed: by another one, which outlives it."""

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
    """Says `words`, and what was noted last, should this process end without `close`.

    A launcher of MPI kills all ranks when one dies: there is no moment in which a rank could say anything itself.
    """

    def __init__(self, words: str) -> None:
        # In a session of its own, or it would be killed together with this process.
        self._listener = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _LISTENER, words],
            stdin=subprocess.PIPE,
            start_new_session=True,
            text=True,
        )

    def note(self, text: str) -> None:
        """What to say besides."""
        if self._listener.stdin is not None and not self._listener.stdin.closed:
            with contextlib.suppress(OSError):
                self._listener.stdin.write(" ".join(text.split()) + "\n")
                self._listener.stdin.flush()

    def close(self) -> None:
        """Nothing need be said."""
        self.note("at ease")
        if self._listener.stdin is not None:
            with contextlib.suppress(OSError):
                self._listener.stdin.close()
        self._listener.wait()
