"""The description of the package for an index: README without targets that only a checkout has.

An index shows README alone. Links between files of the repository lead nowhere there, so only their text is left;
pictures of the repository are left out.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE = re.compile(r"!\[[^\]]*\]\((?!https?:)[^)\s]+\)\n{0,2}")
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?:)[^)\s]+\)")


def description(readme: str) -> str:
    """Return the text of a README without pictures and links whose targets are relative."""
    return _LINK.sub(r"\1", _PICTURE.sub("", readme))


class MetadataHook(MetadataHookInterface):
    """Called by hatchling when the metadata are needed."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the field `readme`, which is `dynamic`."""
        readme = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": description(readme)}
