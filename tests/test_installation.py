"""The command that adds an extra: right for a checkout, a folder, a file, a repository and a package index."""

import json
import re
import shlex
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import outflank
from outflank import installation
from outflank.gpu import driver
from outflank.gpu.troubles import NoDevice
from outflank.installation import install_command

pytestmark = pytest.mark.interpreted_only

PACKAGE = Path(outflank.__file__).parent
ROOT = Path(__file__).parents[1]


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """Pretend that the package was installed into `tmp_path`, and that pip recorded `origin`."""

    def pretend(origin: dict[str, Any] | None) -> None:
        record = None if origin is None else json.dumps(origin)
        monkeypatch.setattr(installation, "HOME", tmp_path / "site-packages" / "outflank")
        monkeypatch.setattr("importlib.metadata.distribution", lambda _: SimpleNamespace(read_text=lambda _: record))

    return pretend


def test_a_checkout_is_named_by_its_folder(monkeypatch, tmp_path) -> None:
    checkout = tmp_path / "my checkout"
    (checkout / "src" / "outflank").mkdir(parents=True)
    (checkout / "pyproject.toml").touch()
    monkeypatch.setattr(installation, "HOME", checkout / "src" / "outflank")
    assert shlex.split(install_command("web")) == ["pip", "install", "-e", f"{checkout}[web]"]
    monkeypatch.chdir(checkout)
    assert install_command("web") == "pip install -e '.[web]'"


@pytest.mark.parametrize(
    ("origin", "requirement"),
    [
        (None, "outflank[web]"),
        ({"url": "file:///at%20home/outflank", "dir_info": {}}, "/at home/outflank[web]"),
        ({"url": "file:///x/a.whl", "archive_info": {"hash": ""}}, "outflank[web] @ file:///x/a.whl"),
        (
            {"url": "https://a.org/b.git", "vcs_info": {"vcs": "git", "commit_id": "1f", "requested_revision": "main"}},
            "outflank[web] @ git+https://a.org/b.git@1f",
        ),
    ],
    ids=["index", "folder", "file", "repository"],
)
def test_an_installed_copy_is_named_as_it_was_installed(installed, origin, requirement) -> None:
    installed(origin)
    assert shlex.split(install_command("web")) == ["pip", "install", requirement]


def test_the_folder_it_was_installed_from_may_be_the_current_one(installed, monkeypatch, tmp_path) -> None:
    installed({"url": tmp_path.as_uri(), "dir_info": {}})
    monkeypatch.chdir(tmp_path)
    assert install_command("web") == "pip install '.[web]'"


def test_every_advice_has_this_form() -> None:
    """Messages ask for it, and pages, which are read in a checkout, all say `.`."""
    advice = re.compile(r"pip install '?outflank\b|outflank\[\w+\]'")
    assert not [path.name for path in PACKAGE.rglob("*.py") if advice.search(path.read_text(encoding="utf-8"))]
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    assert not [page.name for page in pages if advice.search(page.read_text(encoding="utf-8"))]


def test_macos_is_not_told_to_install_an_empty_extra(monkeypatch) -> None:
    monkeypatch.setattr(driver.sys, "platform", "darwin")
    with pytest.raises(NoDevice, match="no CUDA for macOS"):
        driver.require_numba_cuda()
