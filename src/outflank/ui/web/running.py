"""The server of an application: uvicorn, with bounds, and with errors in lines."""

import logging
import sys

import uvicorn
from starlette.types import ASGIApp

from outflank.ui.web.requests import MOST_BYTES

LEAVING_SECONDS = 1
"""Connections have so long to end when the server does."""

PING_SECONDS = 20.0
"""After which a connection is asked whether it is still there, and that it has to answer."""


class _Lines(logging.Handler):
    """What goes wrong in the server itself, a line each."""

    def emit(self, record: logging.LogRecord) -> None:
        why = "" if record.exc_info is None or record.exc_info[1] is None else f": {record.exc_info[1]!r}"
        line = " ".join(f"{record.getMessage().splitlines()[0] if record.getMessage() else ''}{why}".split())
        sys.stderr.write(f"outflank: warning: {line[:500]}\n")


def server_of(application: ASGIApp) -> uvicorn.Server:
    """A server that has not begun."""
    logger = logging.getLogger("uvicorn")
    logger.handlers, logger.propagate = [_Lines(logging.WARNING)], False
    return uvicorn.Server(
        uvicorn.Config(
            application,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ws="websockets-sansio",
            ws_max_size=MOST_BYTES,
            ws_ping_interval=PING_SECONDS,
            ws_ping_timeout=PING_SECONDS,
            ws_per_message_deflate=False,
            lifespan="on",
            timeout_graceful_shutdown=LEAVING_SECONDS,
        )
    )
