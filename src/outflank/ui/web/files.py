"""The files of the page, which are part of the package."""

import hashlib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
}

FIRST = "index.html"


@cache
def page_files() -> dict[str, Traversable]:
    """Return every file of the page, by its path below `/`: no other file is ever opened."""
    by_path: dict[str, Traversable] = {}

    def collect(folder: Traversable, prefix: str) -> None:
        for entry in folder.iterdir():
            if entry.is_dir():
                collect(entry, f"{prefix}{entry.name}/")
            elif "." + entry.name.rpartition(".")[2] in KINDS:
                by_path[prefix + entry.name] = entry

    collect(files("outflank.ui.web") / "page", "")
    return by_path


async def page_file(request: Request) -> Response:
    """Return a file of the page; browsers cache it, and ask whether it has changed."""
    name = request.path_params.get("path") or FIRST
    file = page_files().get(name)
    if file is None:
        return PlainTextResponse("there is no such page\n", 404)
    content = file.read_bytes()
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {"etag": tag, "cache-control": "no-cache"}
    if tag in [known.strip().removeprefix("W/") for known in request.headers.get("if-none-match", "").split(",")]:
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type=KINDS["." + name.rpartition(".")[2]])
