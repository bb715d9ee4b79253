"""The documentation as one site, and the reference in it."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

import outflank
import outflank.arena
import outflank.distributed
import outflank.lab
from docs.__main__ import build
from docs.pages import on_page_markdown
from tests.browsers import FLAGS, MISSING, installed

pytestmark = pytest.mark.interpreted_only

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"

FETCHED = re.compile(r"""<(?:script|link|img|iframe|source)\b[^>]*\b(?:src|href)=["']?(?:https?:)?//[^\s>]*""")
FETCHED_BY_STYLE = re.compile(r"""(?:url\(|@import)\s*["']?(?:https?:)?//[^\s)]*""")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run([sys.executable, "-m", "docs", folder], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow(21)
def test_the_site_is_built_without_a_warning_and_fetches_nothing(built):
    names = {path.relative_to(built).as_posix() for path in built.rglob("*.html")}
    assert names >= {"index.html", "contributing.html", "changelog.html", "benchmarks/index.html", "examples/nim.html"}
    written = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")]
    assert names >= {path.with_suffix(".html").as_posix() for path in written}
    pages = [(built / name).read_text(encoding="utf-8") for name in sorted(names)]
    assert not [found for page in pages for found in FETCHED.findall(page)]
    styles = [path.read_text(encoding="utf-8") for path in built.rglob("*.css")]
    assert not [found for text in pages + styles for found in FETCHED_BY_STYLE.findall(text)]
    games = (built / "games.html").read_text(encoding="utf-8")
    # Links out of `docs/`, written for the repository: to a file, and to a folder.
    assert 'href="examples/nim.html"' in games
    assert 'href="examples/connect-four/connect_four.html"' in games


SEARCH = """
async () => {
  const found = () => document.querySelector(".md-search-result__list a");
  const box = document.querySelector(".md-search__input");
  box.focus();
  box.value = "ProbCut";
  box.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true }));
  for (let tries = 0; !found() && tries < 1000; tries++) await new Promise((resolve) => setTimeout(resolve, 10));
  return found() ? found().href : "nothing was found";
}
"""


@pytest.mark.skipif(installed() is None, reason=MISSING)
@pytest.mark.slow(4)
def test_a_site_that_is_opened_from_a_disk_can_be_searched(built: Path) -> None:
    from playwright.sync_api import sync_playwright

    requests: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed(), args=list(FLAGS))
        page = browser.new_page()
        page.on("request", lambda request: requests.append(request.url))
        page.goto((built / "index.html").as_uri())
        address = page.evaluate(SEARCH)
        browser.close()
    assert address.startswith(built.as_uri())
    assert not [url for url in requests if not url.startswith(("file:", "data:"))]


def test_a_warning_is_a_failure(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# One page\n\n[nowhere](missing.md)\n")
    (tmp_path / "mkdocs.yml").write_text("site_name: one page\nplugins: []\n")
    with pytest.raises(SystemExit):
        build(tmp_path / "mkdocs.yml", tmp_path / "site")


def test_a_link_to_a_folder_of_examples_leads_to_a_page_of_it():
    page = SimpleNamespace(is_homepage=False, file=SimpleNamespace(src_uri="docs/games.md"))
    text = "[these](../examples), [this page](games.md), [a place](#below), [elsewhere](https://numba.pydata.org)"
    first, *others = on_page_markdown(text, page).split(", ")
    assert others == text.split(", ")[1:]
    assert (ROOT / "docs" / first.removeprefix("[these](").removesuffix(")")).is_file()


def names_on(*pages: str) -> Counter[str]:
    """What the pages describe, by name."""
    lines = [line for page in pages for line in (REFERENCE / f"{page}.md").read_text(encoding="utf-8").splitlines()]
    return Counter(line.rpartition(".")[2] for line in lines if line.startswith("::: "))


def test_every_public_name_is_in_the_reference_once():
    described = names_on("search", "boards", "errors", "authors")
    public = set(outflank.__all__) - {"__version__", "lab", "forkjoin"}
    assert {name: described[name] for name in public} == dict.fromkeys(public, 1)
    assert names_on("lab") == dict.fromkeys(outflank.lab.__all__, 1)
    assert names_on("forkjoin") == dict.fromkeys(outflank.forkjoin.__all__, 1)
    assert names_on("clusters") == dict.fromkeys(outflank.distributed.__all__, 1)
    matches = names_on("players")
    assert {name: matches[name] for name in outflank.arena.__all__} == dict.fromkeys(outflank.arena.__all__, 1)
