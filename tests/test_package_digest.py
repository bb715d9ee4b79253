"""The digest of the package: what changes it."""

import pytest

from outflank import package_digest

pytestmark = pytest.mark.interpreted_only


@pytest.fixture
def digest(monkeypatch, tmp_path):
    """The digest of a package in a folder of its own, after some of its files were written."""
    monkeypatch.setattr(package_digest, "HOME", tmp_path)

    def after(**files: str) -> str:
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/").replace("_dot_", ".")
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(text.encode())
        return package_digest.sources_digest.__wrapped__()

    return after


def test_code_weights_and_books_change_the_digest(digest):
    """Of what a process loads once: processes that stay are named by it."""
    digests = [
        digest(game__rules_dot_py="a = 1\n"),
        digest(game__rules_dot_py="a = 2\n"),
        digest(weights__own_dot_weights="1"),
        digest(weights__own_dot_weights="2"),
        digest(weights__own_dot_depths_dot_json="{}"),
        digest(game__openings_dot_book="f5"),
    ]
    assert len(set(digests)) == len(digests)


def test_the_page_and_line_ends_do_not_change_it(digest):
    first = digest(game__rules_dot_py="a = 1\n", weights__own_dot_weights="1")
    assert digest(page__words_dot_js="1", runs__quick_dot_json="{}") == first
    assert digest(game__rules_dot_py="a = 1\r\n") == first
