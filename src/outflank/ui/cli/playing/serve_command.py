"""`outflank serve`: start the web server."""

import socket
import sys
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from outflank.errors import OutflankError, reason_of
from outflank.folders import GAMES_INDEX, data_folder, expanded
from outflank.installation import install_command
from outflank.machine import MOST_WORKERS, usable_cores
from outflank.ui.cli.shared.position_options import diagnostics, output
from outflank.ui.cli.shared.search_options import cluster_option
from outflank.validation.text import how_many

if TYPE_CHECKING:
    from outflank.ui.web.guards import AccessRules
    from outflank.ui.web.searching.shared_cluster import SharedCluster

PORT = 8765
PORTS_TRIED = 50
"""Number of ports that are tried, beginning with `PORT`."""


@click.command("serve")
@click.option("--port", type=click.IntRange(0, 65535), help=f"Port to listen at.  [{PORT}, or the next free one]")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option("--open", "open_browser", is_flag=True, help="Open the page in a browser.")
@click.option("--token", help="Token that visitors must present; generated if other machines can connect.")
@click.option("--games", type=click.Path(), metavar="FILE", help="File of saved games.  [in the user's data folder]")
@click.option(
    "--games-index",
    "indexes",
    type=click.Path(),
    multiple=True,
    metavar="FILE",
    help=f"Index of games, as `explore index` writes it; may be repeated.  [{GAMES_INDEX} beside the saved games]",
)
@click.option(
    "--workers", type=click.IntRange(1, MOST_WORKERS), help="Threads that search at the same time.  [one per core]"
)
@click.option("--puzzles", type=click.Path(), metavar="FILE", help="File of puzzles.  [those of the package]")
@cluster_option("Analyse", workers=False)
def command(
    port: int | None,
    host: str,
    open_browser: bool,
    token: str | None,
    games: str | None,
    indexes: tuple[str, ...],
    workers: int | None,
    puzzles: str | None,
    where: str | None,
) -> None:
    """Play, analyse and review games in a browser, and watch searches.

    The page is served completely from this machine; nothing is fetched from elsewhere. Ctrl-C ends the server; games
    are saved. Needs the packages of the extra `web`.

    \b
      outflank serve --open
      outflank serve --port 9000 --games mine.sqlite
      outflank serve --cluster ray://192.168.1.5:6379
    """
    try:
        import starlette
        import uvicorn
        import websockets
    except ImportError:
        raise OutflankError(f"the server needs more packages: {install_command('web')}") from None
    del starlette, uvicorn, websockets  # imported only to report missing packages clearly
    from outflank.books.game_index import GameIndex
    from outflank.ui.web.app import application
    from outflank.ui.web.guards import TOKEN, AccessRules, is_loopback, new_token
    from outflank.ui.web.http_server import server_of
    from outflank.ui.web.lobby.lobby import Lobby
    from outflank.ui.web.server_limits import Settings
    from outflank.ui.web.sockets import socket_limits

    if token is not None and TOKEN.fullmatch(token) is None:
        raise OutflankError("--token: 8 to 200 of the letters A-Z and a-z, digits, - and _")
    if token is None and not is_loopback(host):
        token = new_token()
    path = data_folder() / "games.sqlite" if games is None else expanded(games)
    index_files = tuple(map(expanded, indexes))
    for file in index_files:
        GameIndex(file)  # a file that is no index is reported at once
    limits = socket_limits()
    settings = Settings(
        games=path,
        reports=path.parent / "reports",
        indexes=index_files or (path.parent / GAMES_INDEX,),
        workers=workers or max(1, int(usable_cores())),
        puzzles=None if puzzles is None else expanded(puzzles),
        most_connections=limits.websockets,
    )
    with _cluster(where) as cluster, _listener(host, port) as listening:
        access = AccessRules(host=host, port=listening.getsockname()[1], token=token)
        lobby = Lobby(settings, cluster)
        if puzzles is not None:
            _ = lobby.services.puzzles  # a damaged file must be reported now
        address = _address(access)
        output().print(f"outflank is at {address}", soft_wrap=True)
        shared = f"{how_many(settings.workers, 'core')} and {lobby.services.most_table_bytes() >> 20} MiB"
        note = f"games are kept in {path}; searches share {shared} for tables; Ctrl-C ends it"
        diagnostics().print(note, soft_wrap=True)
        if open_browser:
            # Use a thread, because a browser in the terminal returns only when the user quits it. The socket listens
            # already.
            threading.Thread(target=webbrowser.open, args=(address,), name="outflank-open", daemon=True).start()
        server_of(application(lobby, access), limits).run(sockets=[listening])
    raise KeyboardInterrupt  # the server ends only with Ctrl-C


@contextmanager
def _cluster(where: str | None) -> "Iterator[SharedCluster | None]":
    """Connect to the cluster at the address `where`, and yield it when its nodes have joined. Without an address, yield
    None."""
    if where is None:
        yield None
        return
    from outflank.distributed.cluster import connect
    from outflank.ui.web.searching.shared_cluster import SharedCluster

    with connect(where) as cluster:
        shared = SharedCluster(cluster, where)
        nodes = shared.prepare()
        diagnostics().print(f"{how_many(nodes, 'node')} of {where} search for one analysis at a time", soft_wrap=True)
        yield shared


def _listener(host: str, port: int | None) -> socket.socket:
    """Return a socket that listens at `port`. If `port` is None, it listens at the first free port from `PORT` on."""
    ports = [port] if port is not None else [*range(PORT, PORT + PORTS_TRIED), 0]
    try:
        family, kind, proto, _, _ = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise OutflankError(f"--host {host}: {reason_of(error)}") from None
    for number in ports:
        listener = socket.socket(family, kind, proto)
        if sys.platform != "win32":  # on Windows this option would let two servers share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, number))
            listener.listen(128)
        except OSError as error:
            listener.close()
            failure = error
            continue
        return listener
    raise OutflankError(f"{host} port {ports[0]}: {reason_of(failure)}")


def _address(access: "AccessRules") -> str:
    host = "127.0.0.1" if access.host == "0.0.0.0" else "[::1]" if access.host == "::" else access.host
    host = f"[{host}]" if ":" in host and not host.startswith("[") else host
    token = "" if access.token is None else f"?token={access.token}"
    return f"http://{host}:{access.port}/{token}"
