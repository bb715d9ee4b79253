"""`outflank serve`: the board in the browser."""

import socket
import sys
import threading
import webbrowser
from typing import TYPE_CHECKING

import click

from outflank.errors import OutflankError, reason_of
from outflank.folders import data_folder, expanded
from outflank.machine import MOST_WORKERS, usable_cores
from outflank.ui.cli.common import diagnostics, output
from outflank.words import how_many

if TYPE_CHECKING:
    from outflank.ui.web.guards import Door

PORT = 8765
TRIED = 50
"""Ports from the first one on, where that is taken."""


@click.command("serve")
@click.option("--port", type=click.IntRange(0, 65535), help=f"Listen there, and nowhere else.  [{PORT}, or the next]")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--open", "opens", is_flag=True, help="Open the page in a browser.")
@click.option("--token", help="What visitors must know; beyond this machine one is made.")
@click.option("--games", type=click.Path(), metavar="FILE", help="Where games are kept.  [in the user's data folder]")
@click.option("--workers", type=click.IntRange(1, MOST_WORKERS), help="Threads that search at a time.  [one per core]")
def command(
    port: int | None, host: str, opens: bool, token: str | None, games: str | None, workers: int | None
) -> None:
    """Play, analyse and review in a browser, and watch searches work.

    The page and all that it needs come from here; nothing is fetched from elsewhere. Ctrl-C ends the server; games
    are kept. Needs `pip install 'outflank[web]'`.

    \b
      outflank serve --open
      outflank serve --port 9000 --games mine.sqlite
    """
    try:
        import starlette
        import uvicorn
        import websockets
    except ImportError:
        raise OutflankError("the server needs more packages: pip install 'outflank[web]'") from None
    del starlette, uvicorn, websockets  # asked for a clear line alone
    from outflank.ui.web.app import application
    from outflank.ui.web.guards import TOKEN, Door, is_loopback, made_token
    from outflank.ui.web.hall.hall import Hall
    from outflank.ui.web.running import server_of
    from outflank.ui.web.settings import Settings
    from outflank.ui.web.sockets import socket_limits

    if token is not None and TOKEN.fullmatch(token) is None:
        raise OutflankError("--token: 8 to 200 of the letters A-Z and a-z, digits, - and _")
    if token is None and not is_loopback(host):
        token = made_token()
    path = data_folder() / "games.sqlite" if games is None else expanded(games)
    limits = socket_limits()
    settings = Settings(
        games=path,
        reports=path.parent / "reports",
        workers=workers or max(1, int(usable_cores())),
        most_connections=limits.websockets,
    )
    with _listening(host, port) as listening:
        door = Door(host=host, port=listening.getsockname()[1], token=token)
        hall = Hall(settings)
        address = _address(door)
        output().print(f"outflank is at {address}", soft_wrap=True)
        shared = f"{how_many(settings.workers, 'core')} and {hall.house.most_table_bytes() >> 20} MiB"
        told = f"games are kept in {path}; searches share {shared} for tables; Ctrl-C ends it"
        diagnostics().print(told, soft_wrap=True)
        if opens:
            # The socket listens already; a browser in a terminal comes back only when it is left.
            threading.Thread(target=webbrowser.open, args=(address,), name="outflank-open", daemon=True).start()
        server_of(application(hall, door), limits).run(sockets=[listening])
    raise KeyboardInterrupt  # which alone ends it


def _listening(host: str, port: int | None) -> socket.socket:
    """A socket at the port, or where none was asked for at the first that is free."""
    wanted = [port] if port is not None else [*range(PORT, PORT + TRIED), 0]
    try:
        family, kind, proto, _, _ = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise OutflankError(f"--host {host}: {reason_of(error)}") from None
    for each in wanted:
        found = socket.socket(family, kind, proto)
        if sys.platform != "win32":  # where it would let two servers share a port
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((host, each))
            found.listen(128)
        except OSError as error:
            found.close()
            failure = error
            continue
        return found
    raise OutflankError(f"{host} port {wanted[0]}: {reason_of(failure)}")


def _address(door: "Door") -> str:
    host = "127.0.0.1" if door.host == "0.0.0.0" else "[::1]" if door.host == "::" else door.host
    host = f"[{host}]" if ":" in host and not host.startswith("[") else host
    token = "" if door.token is None else f"?token={door.token}"
    return f"http://{host}:{door.port}/{token}"
