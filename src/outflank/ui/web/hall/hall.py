"""The games of a server: those that are open, and those that are kept."""

import asyncio
from collections import OrderedDict
from weakref import WeakValueDictionary

from msgspec.structs import replace

from outflank.errors import OutflankError
from outflank.ui.web.games.positions import Boards
from outflank.ui.web.games.store import row_of
from outflank.ui.web.games.telling import layout_of, listed_game
from outflank.ui.web.games.tree import KeptGame, is_untouched
from outflank.ui.web.hall.house import House
from outflank.ui.web.hall.tables import Table, Watcher
from outflank.ui.web.messages import Kept, Layout
from outflank.ui.web.settings import Settings

MOST_UNWATCHED = 16
"""Maximum number of unwatched games in memory, for users who come back. A game of Othello takes 55 kB, one of Abalone
with 400 moves 300 kB; the others are read from the store when they are opened."""


class Hall:
    """What all connections share."""

    def __init__(self, settings: Settings) -> None:
        self.house = House(settings)
        self._tables: OrderedDict[str, Table] = OrderedDict()
        self._known: WeakValueDictionary[str, Table] = WeakValueDictionary()  # there must not be two of one game
        self._opening = asyncio.Lock()

    async def begin_game(self, made: KeptGame) -> Table:
        """Keep a new game."""
        kept = replace(made, changed=self.house.now())
        row = await self.house.work(lambda: row_of(kept, listed_game(kept, Boards())))
        await asyncio.wrap_future(self.house.store.put(row))
        return self._seat(Table(self.house, kept))

    async def table(self, id: str) -> Table:
        """The game called so."""
        async with self._opening:
            found = self._known.get(id)
            if found is None:
                found = Table(self.house, await asyncio.wrap_future(self.house.store.get(id)))
            return self._seat(found)

    def _seat(self, table: Table) -> Table:
        self._tables[table.kept.id] = self._known[table.kept.id] = table
        self._tables.move_to_end(table.kept.id)
        self._drop_unwatched()
        return table

    def _drop_unwatched(self) -> None:
        """Drop the games from memory that nobody watches, except the last few."""
        unwatched = [id for id, each in self._tables.items() if not each.watchers]
        for id in unwatched[:-MOST_UNWATCHED]:
            del self._tables[id]

    async def delete(self, id: str) -> None:
        """Forget a game."""
        async with self._opening:  # or it could be opened meanwhile, and written again
            if not await self._delete(id):
                raise OutflankError("there is no such game; it may have been deleted already")

    async def _delete(self, id: str) -> bool:
        """Whether there was one."""
        table = self._known.pop(id, None)
        self._tables.pop(id, None)
        if table is not None:
            await table.close()
        return await asyncio.wrap_future(self.house.store.delete(id))

    async def leave(self, table: Table, watcher: Watcher) -> None:
        """Watch a game no more; one without moves is forgotten when nobody does."""
        try:
            await table.leave(watcher)
            async with self._opening:
                if table.watchers or table.is_gone:
                    return
                if is_untouched(table.kept):
                    await self._delete(table.kept.id)
                elif table.kept.id in self._tables:
                    self._tables.move_to_end(table.kept.id)
                    self._drop_unwatched()
        except OutflankError as error:  # nobody waits for that
            self.house.complain(error)

    async def page(self, before: float | None, ask: int) -> Kept:
        """A page of the list of games."""
        listed, more = await asyncio.wrap_future(self.house.store.page(before))
        layouts: list[Layout] = []
        found: dict[tuple[str, int], int] = {}
        games = []
        for each in listed:
            key = (each.game, len(each.pieces))
            if key not in found:
                found[key] = len(layouts)
                layouts.append(await self.house.work(layout_of, each))
            games.append(replace(each, layout=found[key]))
        return Kept(re=ask, games=tuple(games), layouts=tuple(layouts), more=more)

    def in_memory(self) -> dict[str, int]:
        """Return the number of games in memory, and what `House.in_memory` counts."""
        return {"games": len(self._tables)} | self.house.in_memory()

    def close(self) -> None:
        """Stop what is under way, and let everything go."""
        for table in tuple(self._known.values()):
            table.stop()
        self.house.close()
