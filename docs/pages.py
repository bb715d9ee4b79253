"""What the pages of the site are: a hook of mkdocs.

To mkdocs a page has its path in the repository, so that a link that works where files are read works on the site as
well. Only its address there is shorter: `docs/games.md` is `games.html`.
"""

import json
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent

ELSEWHERE = (
    *("README.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "SECURITY.md", "CHANGELOG.md"),
    *("benchmarks/README.md", "src/outflank/README.md"),
)
"""Pages that are not under `docs/`."""

EXAMPLES = "examples/"
"""In the navigation: all of them."""

SENT = (".svg", ".png", ".css", ".js")
"""Files that the site has as they are."""

READ = (".md", *SENT)
"""What is read of `docs/`; the rest builds it."""

LINK = re.compile(r"\]\(([\w./-]+)\)")

SHOWN = {".py": "python", ".toml": "toml"}
"""Sources of examples that are shown as they are."""


class Listing(File):
    """A file that is no Markdown, shown as a page."""

    def is_documentation_page(self) -> bool:
        return True


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the examples where the navigation has a place for them."""
    config.nav = _with_examples(config.nav)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The repository's files in place of those that mkdocs has found in `docs/`."""
    for file in [file for file in files if file.src_dir == config.docs_dir]:
        files.remove(file)
        if Path(file.src_uri).suffix in READ:
            files.append(_file(f"docs/{file.src_uri}", config, address=file.src_uri))
    for path in ELSEWHERE:
        files.append(_file(path, config, address=path.lower()))
    for path in _examples():
        files.append(_file(path, config, address=path))
    return files


def on_page_markdown(markdown: str, page: Page, **_others: Any) -> str:
    """Let a link to a folder of an example lead to the first page of it, which is its README if it has one."""
    if page.is_homepage:
        page.meta["hide"] = ["navigation"]  # it would have nothing but this page
    here = posixpath.dirname(page.file.src_uri)
    examples = sorted(_examples(), key=lambda path: not path.endswith("README.md"))

    def first_page(link: re.Match[str]) -> str:
        folder = posixpath.normpath(posixpath.join(here, link[1]))
        inside = [path for path in examples if path.startswith(f"{folder}/")]
        return f"]({posixpath.relpath(inside[0], here or '.')})" if inside else link[0]

    return LINK.sub(first_page, markdown)


def _file(path: str, config: MkDocsConfig, *, address: str) -> File:
    kind = File if Path(path).suffix in READ else Listing
    file = kind(path, str(ROOT), config.site_dir, config.use_directory_urls, dest_uri=_address(address))
    if kind is Listing:
        file.content_string = _listed(ROOT / path)
    return file


def _address(path: str) -> str:
    plain = Path(path)
    if plain.suffix in SENT:
        return path
    return plain.with_name("index.html" if plain.stem.lower() == "readme" else f"{plain.stem}.html").as_posix()


def _examples() -> Iterator[str]:
    """The examples' files, those of a folder after those that stand alone."""
    for path in sorted((ROOT / EXAMPLES).rglob("*"), key=lambda path: (len(path.parts), path)):
        place = path.relative_to(ROOT)
        # Model solutions of the course are for teachers.
        built = any(part.startswith(".") or part in ("build", "dist", "solutions") for part in place.parts)
        if path.suffix in (".md", ".ipynb", *SHOWN) and path.stat().st_size and not built:
            yield place.as_posix()


def _with_examples(nav: Any) -> Any:
    if isinstance(nav, list):
        return [_with_examples(each) for each in nav]
    if isinstance(nav, dict):
        return {title: _navigation() if under == EXAMPLES else _with_examples(under) for title, under in nav.items()}
    return nav


def _navigation() -> list[dict[str, str]]:
    return [{path.removeprefix(EXAMPLES): path} for path in _examples()]


def _listed(path: Path) -> str:
    """A source or a notebook as Markdown."""
    text = path.read_text(encoding="utf-8")
    if path.suffix in SHOWN:
        return f"# {path.name}\n\n```{SHOWN[path.suffix]}\n{text}```\n"
    cells = [(cell["cell_type"], "".join(cell["source"])) for cell in json.loads(text)["cells"]]
    return "\n\n".join(f"```python\n{source}\n```" if kind == "code" else source for kind, source in cells)
