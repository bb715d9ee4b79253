"""Docstrings in the reference, by an extension of griffe, which reads the source: examples as code, and for an option
without a docstring its help."""

import ast
import re
from typing import Any

from griffe import Attribute, Docstring, ExprCall, Extension, Object

EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)
"""From a prompt at the margin to the next empty line; one that is indented is code to Markdown already."""


class Doctests(Extension):
    """Fences around the examples, and the defaults of options."""

    def on_object(self, *, obj: Object, **_others: Any) -> None:
        """Change the docstring of what was read."""
        if obj.docstring is not None:
            obj.docstring.value = EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", obj.docstring.value)

    def on_attribute_instance(self, *, attr: Attribute, **_others: Any) -> None:
        """Show the default of an option, and its help if it has no docstring."""
        if isinstance(attr.value, ExprCall) and str(attr.value.function) == "option":
            attr.value, help_text, *_ = attr.value.arguments
            if attr.docstring is None and isinstance(help_text, str) and help_text[0] in "\"'":
                attr.docstring = Docstring(ast.literal_eval(help_text), parent=attr)
