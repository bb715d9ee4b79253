"""Examples in docstrings, as code: an extension of griffe, which reads the source for the reference."""

import re
from typing import Any

from griffe import Extension, Object

EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)
"""From a prompt at the margin to the next empty line; one that is indented is code to Markdown already."""


class Doctests(Extension):
    """Fences around the examples."""

    def on_object(self, *, obj: Object, **_others: Any) -> None:
        """Change the docstring of what was read."""
        if obj.docstring is not None:
            obj.docstring.value = EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", obj.docstring.value)
