"""Levels calibrated: neighbours of a game's levels play matches, and the weak ones meet players that do not think far.

python -m benchmarks.levels GAME LEVELS:GAMES … [--simple GAMES] [--openings random:8] [--keep DIR]

`1-14:200 14-20:60 20,25,30:20` lets 1 play 2, 2 play 3, …, 14 play 15, … and 20 play 25, each pair so many games, every
opening with both colours, from no book. With `--simple` the first two levels also meet simple players: one that draws
lots, one that takes all it can, and one that looks a move ahead by an evaluation of a few parts.

Levels are depths, and one worker searches, so that a busy machine changes nothing; times are the processor's. Finished
games are kept in DIR, those of a level that has been defined anew apart, and the same command goes on with them.
"""

import argparse
import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.common import BUILD, benchmark_command, save
from outflank.arena import MatchResult, Settings, play_match
from outflank.arena.match_documents import DuelDocument
from outflank.arena.match_game import MatchGame
from outflank.boards import Board
from outflank.games.defaults import Level
from outflank.games.description import GAMES, description_of
from outflank.lab.provenance import provenance
from outflank.players.clock import Clock
from outflank.players.player import level_of
from outflank.players.specs import player
from outflank.validation.documents import plain

MOST_SIMPLE = 2
"""The highest level that meets simple players."""

NO_CLOCK = Clock()

FIRST_PLY = 8
"""Before it moves are an opening's."""

SIMPLE = {
    "othello": {
        "draws lots": "random",
        "takes most discs": "computer depth=1 exact=0 evaluation=discs workers=1",
        "looks a move ahead": "computer depth=1 exact=0 evaluation=phased workers=1",
    },
    "abalone": {
        "draws lots": "random",
        "looks a move ahead": "computer depth=1 evaluation=rings workers=1",
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """Two players who play some games; the stronger one, as is hoped, first."""

    names: tuple[str, str]
    words: tuple[str, str]
    about: str
    """What else makes it this match, and not one of before."""
    games: int


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.levels", description=__doc__)
    parser.add_argument("game", choices=sorted(SIMPLE))
    parser.add_argument("plan", nargs="+", metavar="LEVELS:GAMES")
    parser.add_argument("--simple", type=int, default=0, metavar="GAMES")
    parser.add_argument("--openings", default="")
    parser.add_argument("--keep", type=Path, default=BUILD / "levels")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--concurrency", type=int, default=1)
    chosen = parser.parse_args(arguments)
    start = GAMES.parts()[chosen.game].start()
    neighbours = [pair for part in chosen.plan for pair in _neighbours(start.game, part)]
    for before, after in pairwise(neighbours):
        if before.names[0] != after.names[1]:
            parser.error(
                f"{before.names[0]} and {after.names[1]}: a part begins with the level that the last ends with"
            )
    simple = list(_against_simple(start.game, chosen.game, chosen.simple)) if chosen.simple else []
    samples: dict[str, list[Any]] = {"neighbours": [], "simple": []}
    for kind, meetings in (("neighbours", neighbours), ("simple", simple)):
        for each in meetings:
            settings = Settings(
                players=each.words, start=start, games=each.games, openings=chosen.openings, seed=chosen.seed
            )
            samples[kind].append(_told(each, _played(each, settings, chosen.keep / chosen.game, chosen.concurrency)))
            print(": ".join(_said(samples[kind][-1])), file=sys.stderr, flush=True)
    figures = {"openings": settings.openings, **dict(_said(each) for found in samples.values() for each in found)}
    save("levels", figures, samples, variant=chosen.game)
    print(table(start.game, samples["neighbours"]))


def _numbers(text: str) -> Iterable[int]:
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def _neighbours(game: Any, text: str) -> Iterable[Meeting]:
    levels, _, games = text.partition(":")
    for lower, higher in pairwise(_numbers(levels)):
        yield Meeting(
            names=(str(higher), str(lower)),
            words=(_words(higher), _words(lower)),
            about=f"{level_of(game, higher)} {level_of(game, lower)}",
            games=int(games),
        )


def _against_simple(game: Any, name: str, games: int) -> Iterable[Meeting]:
    for number in range(1, MOST_SIMPLE + 1):
        for opponent, words in SIMPLE[name].items():
            yield Meeting(
                names=(str(number), opponent),
                words=(_words(number), words),
                about=str(level_of(game, number)),
                games=games,
            )


def _words(number: int) -> str:
    return f"computer level={number} workers=1"


def _played(each: Meeting, settings: Settings, keep: Path, concurrency: int) -> MatchResult:
    mark = zlib.crc32(f"{each.about} {each.words} {settings.openings} {settings.seed}".encode())
    folder = keep / f"{'-'.join(each.names).replace(' ', '-')}-{mark:08x}"
    origin = provenance(benchmark_command("levels"))
    resume = (folder / "match.json").exists()
    return play_match(settings, player, out=folder, resume=resume, origin=origin, concurrency=concurrency)


def _told(each: Meeting, played: MatchResult) -> dict[str, Any]:
    """The duel, and what a move takes each of the two."""
    duel = plain(DuelDocument.of(0, 1, played.standing.duel))
    of_duel = ("games", "wins", "draws", "losses", "pairs", "elo", "margin")
    return {
        "players": list(each.names),
        **{name: duel[name] for name in of_duel},
        "drawn": dict(Counter(kept.game.ending.detail for kept in played.games if kept.game.ending.points == 0.5)),
        "seconds_a_move": [round(_seconds(words, played.games[0]), 4) for words in each.words],
    }


def _seconds(words: str, kept: MatchGame) -> float:
    """For a move in the positions of a game, on average: of the processor, so that other processes do not count."""
    board = Board.from_setup(kept.game.record.start)
    made = player(words, board.game)
    made.new_game(board)
    taken: list[float] = []
    for move in kept.game.record.moves:
        if not board.must_pass and board.ply >= FIRST_PLY:
            began = time.process_time()
            made.choose(board, NO_CLOCK)
            taken.append(time.process_time() - began)
        board.push(board.move(move.code))
    made.close()
    return sum(taken) / max(1, len(taken))


def _said(told: dict[str, Any]) -> tuple[str, str]:
    """Who against whom, and what came out."""
    elo = told["elo"]
    return (
        f"level {told['players'][0]} against {told['players'][1]}",
        f"{told['wins']} won, {told['draws']} drawn, {told['losses']} lost, "
        f"Elo {elo['value']:+.0f} ({elo['low']:+.0f} to {elo['high']:+.0f})",
    )


def table(game: Any, neighbours: Sequence[dict[str, Any]]) -> str:
    """The ladder, a row for each level, in Markdown."""
    unit = description_of(game).scores.unit
    rows = [
        f"| level | depth | exact from | misjudges ({unit}) | s a move | Elo to the last | 95 % | games | Elo in all |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    above = 0.0
    for told in neighbours:
        higher, lower = (int(name) for name in told["players"])
        if len(rows) == 2:
            rows.append(_row(lower, level_of(game, lower), told["seconds_a_move"][1], "", "", "", 0.0))
        elo = told["elo"]
        above += elo["value"]
        interval = f"{elo['low']:+.0f} to {elo['high']:+.0f}"
        seconds = told["seconds_a_move"][0]
        rows.append(
            _row(higher, level_of(game, higher), seconds, f"{elo['value']:+.0f}", interval, str(told["games"]), above)
        )
    return "\n".join(rows)


def _row(number: int, level: Level, seconds: float, elo: str, interval: str, games: str, above: float) -> str:
    misjudged = f"{level.misjudged:g}" if level.misjudged else ""
    cells = (number, level.depth, level.exact or "", misjudged, f"{seconds:.3g}", elo, interval, games, f"{above:.0f}")
    return f"| {' | '.join(str(cell) for cell in cells)} |"


if __name__ == "__main__":
    main()
