"""All games of a server, in memory and on disk."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from weakref import WeakValueDictionary

from msgspec.structs import replace

from outflank.errors import OutflankError
from outflank.ui.web.games.game_messages import layout_of, listed_game
from outflank.ui.web.games.game_store import row_of
from outflank.ui.web.games.move_tree import Boards, SavedGame
from outflank.ui.web.games.seat_owners import check_change
from outflank.ui.web.lobby.live_games import LiveGame, Watcher
from outflank.ui.web.lobby.services import Services
from outflank.ui.web.requests import Games
from outflank.ui.web.searching.shared_cluster import SharedCluster
from outflank.ui.web.server_limits import Settings
from outflank.ui.web.server_messages import Kept, Layout

MOST_UNWATCHED = 16
"""Maximum number of games in memory that no connection watches. These games open faster for users who come back. A
game of Othello takes 55 kB. A game of Abalone with 400 moves takes 300 kB."""


class Lobby:
    """The games of a server, which all its connections share."""

    def __init__(self, settings: Settings, cluster: SharedCluster | None = None) -> None:
        self.services = Services(settings, cluster)
        self._recent: OrderedDict[str, LiveGame] = OrderedDict()
        self._loaded: WeakValueDictionary[str, LiveGame] = WeakValueDictionary()  # so that a game never has two objects
        self._opening = asyncio.Lock()

    async def begin_game(self, new: SavedGame) -> LiveGame:
        """Save a new game and return it."""
        saved = replace(new, changed=self.services.now())
        row = await self.services.work(lambda: row_of(saved, listed_game(saved, Boards())))
        await asyncio.wrap_future(self.services.store.put(row))
        return self._remember(LiveGame(self.services, saved))

    async def keep(self, games: Sequence[SavedGame]) -> None:
        """Save new games without opening them. The first one will be the first in the list of games."""
        saved = [replace(game, changed=self.services.now()) for game in reversed(games)]
        rows = await self.services.work(lambda: [row_of(game, listed_game(game, Boards())) for game in saved])
        writes = [asyncio.wrap_future(self.services.store.put(row)) for row in rows]
        errors = [error for error in await asyncio.gather(*writes, return_exceptions=True) if error is not None]
        if errors:
            raise OutflankError(f"{len(saved) - len(errors)} of {len(saved)} games are saved: {errors[0]}")

    async def live_game(self, id: str) -> LiveGame:
        """Return the game with this id, from memory or from the database."""
        async with self._opening:
            live_game = self._loaded.get(id)
            if live_game is None:
                live_game = LiveGame(self.services, await asyncio.wrap_future(self.services.store.get(id)))
            return self._remember(live_game)

    def _remember(self, live_game: LiveGame) -> LiveGame:
        self._recent[live_game.saved.id] = self._loaded[live_game.saved.id] = live_game
        self._recent.move_to_end(live_game.saved.id)
        self._drop_unwatched()
        return live_game

    def _drop_unwatched(self) -> None:
        """Drop unwatched games from memory, except the last `MOST_UNWATCHED` that were used."""
        unwatched = [id for id, live_game in self._recent.items() if not live_game.watchers]
        for id in unwatched[:-MOST_UNWATCHED]:
            del self._recent[id]

    def check_deletion(self, id: str, who: str) -> None:
        """Raise an error if other browsers are playing this game. Games that nobody views can always be deleted."""
        live_game = self._loaded.get(id)
        if live_game is not None and live_game.watchers:
            check_change(live_game.saved, live_game.boards, who)

    async def delete(self, id: str) -> None:
        """Delete a game, or raise an error if it does not exist."""
        async with self._opening:  # otherwise the game could be opened meanwhile and saved again
            if not await self._delete(id):
                raise OutflankError("there is no such game; it may have been deleted already")

    async def _delete(self, id: str) -> bool:
        """Delete a game, and return whether it existed."""
        live_game = self._loaded.pop(id, None)
        self._recent.pop(id, None)
        if live_game is not None:
            await live_game.close()
        return await asyncio.wrap_future(self.services.store.delete(id))

    async def leave(self, live_game: LiveGame, watcher: Watcher) -> None:
        """Remove a watcher from a game. If no watcher is left and the game is disposable, delete the game."""
        try:
            await live_game.leave(watcher)
            async with self._opening:
                if live_game.watchers or live_game.is_gone:
                    return
                if live_game.saved.disposable:
                    await self._delete(live_game.saved.id)
                elif live_game.saved.id in self._recent:
                    self._recent.move_to_end(live_game.saved.id)
                    self._drop_unwatched()
        except OutflankError as error:  # no request waits for this
            self.services.warn(error)

    async def page(self, request: Games) -> Kept:
        """Return a page of the list of saved games."""
        listed, more = await asyncio.wrap_future(self.services.store.page(request))
        layouts: list[Layout] = []
        layout_indices: dict[tuple[str, int], int] = {}
        games = []
        for game in listed:
            key = (game.game, len(game.pieces))
            if key not in layout_indices:
                layout_indices[key] = len(layouts)
                layouts.append(await self.services.work(layout_of, game))
            games.append(replace(game, layout=layout_indices[key]))
        return Kept(re=request.ask, games=tuple(games), layouts=tuple(layouts), more=more)

    def in_memory(self) -> dict[str, int]:
        """Return the number of games in memory, and the counts of `Services.in_memory`."""
        return {"games": len(self._recent)} | self.services.in_memory()

    def close(self) -> None:
        """Stop all computers, clocks and services."""
        for live_game in tuple(self._loaded.values()):
            live_game.stop()
        self.services.close()
