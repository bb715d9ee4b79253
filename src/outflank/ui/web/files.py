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
    """Every file of the page, by its path below `/`: nothing else is ever opened."""
    found: dict[str, Traversable] = {}

    def look(folder: Traversable, before: str) -> None:
        for each in folder.iterdir():
            if each.is_dir():
                look(each, f"{before}{each.name}/")
            elif "." + each.name.rpartition(".")[2] in KINDS:
                found[before + each.name] = each

    look(files("outflank.ui.web") / "page", "")
    return found


async def page_file(request: Request) -> Response:
    """A file of the page; browsers keep it, and ask whether it has changed."""
    name = request.path_params.get("path") or FIRST
    found = page_files().get(name)
    if found is None:
        return PlainTextResponse("there is no such page\n", 404)
    content = found.read_bytes()
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {"etag": tag, "cache-control": "no-cache"}
    if tag in [each.strip().removeprefix("W/") for each in request.headers.get("if-none-match", "").split(",")]:
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type=KINDS["." + name.rpartition(".")[2]])
