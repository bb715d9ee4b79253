"""Connections to the server: each ends whenever its client is gone, and none that asks nothing keeps others out."""

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest

from outflank.ui.web.hall.hall import Hall
from outflank.ui.web.messages import Halted
from outflank.ui.web.settings import Settings
from outflank.ui.web.visits.outbox import Outbox
from outflank.ui.web.visits.session import Session
from tests.web_server import serving
from tests.web_visits import make_visits

pytestmark = pytest.mark.plain

STEPS = 12
"""Steps of the event loop by which a cancellation is delayed: more than any wait in a session takes."""


VISITS = 40
"""Visits in a test; `python -m tests.web_visits` makes as many as one likes."""


async def steps(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


# --- a session ends ---


@pytest.mark.parametrize("delay", range(STEPS))
def test_a_cancellation_that_arrives_with_a_message_ends_the_sender(delay: int) -> None:
    async def ends() -> bool:
        outbox = Outbox()

        async def send_all() -> None:
            while True:
                await outbox.next()

        sender = asyncio.create_task(send_all())
        outbox.stream("search", Halted(re=1))
        await steps(STEPS)
        outbox.stream("search", Halted(re=2))  # not due yet: the sender waits with a timeout
        await steps(STEPS)
        outbox.tell(Halted(re=3))
        await steps(delay)
        sender.cancel()
        await steps(STEPS)
        return sender.done()

    assert asyncio.run(ends())


class Closing:
    """A socket that is closed some steps after a message has been sent."""

    def __init__(self, delay: int) -> None:
        self.delay = delay
        self.sending = asyncio.Event()
        self.sent = asyncio.Event()

    async def receive(self) -> dict[str, str]:
        await self.sent.wait()
        await steps(self.delay)
        return {"type": "websocket.disconnect"}

    async def send_text(self, text: str) -> None:
        self.sending.set()
        await self.sent.wait()


@pytest.mark.parametrize("delay", range(STEPS))
def test_a_session_ends_when_its_socket_closes_while_it_sends(tmp_path: Path, delay: int) -> None:
    async def ends() -> bool:
        hall = Hall(Settings(games=tmp_path / "games.sqlite", reports=tmp_path, workers=1))
        socket = Closing(delay)
        session = Session(hall, cast(Any, socket))
        running = asyncio.create_task(session.run())
        await socket.sending.wait()
        socket.sent.set()
        await steps(4 * STEPS)
        hall.close()
        return running.done()

    assert asyncio.run(ends())


@pytest.mark.early(5)
def test_nothing_is_left_of_visits_that_end_at_any_moment(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        assert make_visits(served, VISITS, 1)["connections"] == 0
