"""Distributions as pip would have installed them: a module and its entry points in a folder that Python searches."""

from pathlib import Path


def install(folder: Path, module: str, text: str, group: str, *entries: str, version: str = "1.2") -> None:
    """Write the distribution `fake-<module>` with a module of that text, and entry points like `mine = module:MINE`."""
    (folder / f"{module}.py").write_text(text)
    told = folder / f"fake_{module}-{version}.dist-info"
    told.mkdir()
    (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: fake-{module}\nVersion: {version}\n")
    (told / "entry_points.txt").write_text("\n".join([f"[{group}]", *entries, ""]))
