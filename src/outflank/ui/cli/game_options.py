"""Options that come from games: which one, and what can be chosen about it.

A game is described when something asks for it: a command that names none of its options does without, and one of a
user's own is found before the command line is read, so that its options are part of it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import click

from outflank.errors import OutflankError, UnknownName
from outflank.formats.drawing import BLACK, EITHER, EMPTY, WHITE
from outflank.formats.game_files import file_formats, is_written
from outflank.formats.recognise import understood
from outflank.games.description import GAMES, OWN_GAMES, GameDescription, GameOption, game_named
from outflank.ui.cli.names import NameOf
from outflank.user_modules import import_users

F = TypeVar("F", bound=Callable[..., Any])

CHOSEN = "game_options"
"""The argument of a command that gets what was chosen about the game, by name and in the order of the command line."""

_OFFERED = "outflank.games offered"
_PREFIX = "option_of_game_"


def game_option(help: str) -> Callable[[F], F]:
    """Give a command, which is a `GameCommand`, the option `--game`."""
    return click.option("--game", type=NameOf(GAMES), help=f"{help}  [{OWN_GAMES[0]}]")


class HelpWithGames(click.Command):
    """A command whose help leaves places for what games say of themselves, which is looked up when it is shown.

    `{first}` and `{last}` are names of the package's games, `{choice}` is an option of the last one's, `{forms}` are
    the notations that are understood, and `{files}` the formats of files that are written.
    """

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        written = self.help
        try:
            self.help = with_games(written or "")
            super().format_help_text(ctx, formatter)
        finally:
            self.help = written


class GameCommand(HelpWithGames):
    """A command with `--game`, and the options of the game that is named, or else those of the package's own."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_OFFERED] = self._offered(ctx, _before_words(args))
        rest = super().parse_args(ctx, args)
        given = {name: ctx.params.pop(name) for name in list(ctx.params) if name.startswith(_PREFIX)}
        ctx.params[CHOSEN] = {name.removeprefix(_PREFIX): value for name, value in given.items() if value is not None}
        return rest

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        offered = ctx.meta.get(_OFFERED)
        if offered is None:
            offered = ctx.meta[_OFFERED] = self._options(_own_games())
        params = super().get_params(ctx)
        place = next(place for place, each in enumerate(params) if each.name == "game") + 1
        return [*params[:place], *offered, *params[place:]]

    def _offered(self, ctx: click.Context, args: Sequence[str]) -> list[click.Option]:
        """The options of the games that this command line may be about."""
        named = _named_game(args)
        chosen = [] if named is None else [named]
        known = {
            name
            for each in (*super().get_params(ctx), *self._options(chosen))
            for name in (*each.opts, *each.secondary_opts)
        }
        flags = {arg.partition("=")[0] for arg in args if arg.startswith("-")}
        asked = not flags.isdisjoint(ctx.help_option_names)
        if asked and chosen:
            return self._options(chosen)
        return self._options([*chosen, *_own_games(but=chosen)] if asked or not flags <= known else chosen)

    def _options(self, games: Sequence[GameDescription]) -> list[click.Option]:
        taken = {name for each in self.params for name in each.opts}
        found: dict[str, click.Option] = {}
        for game in games:
            for option in game.options:
                word = option.name.replace("_", "-")
                flag = f"--{word}" if f"--{word}" not in taken else f"--{game.name}-{word}"
                if option.name not in found:  # of the game that is named, which comes first
                    found[option.name] = _made(option, flag)
        return list(found.values())


class PositionCommand(GameCommand):
    """A command whose POSITION may start with dashes, as most board lines do."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        takes_a_value = {
            name
            for option in self.params
            if isinstance(option, click.Option) and not option.is_flag
            for name in option.opts
        }
        lines = [
            place
            for place, arg in enumerate(args)
            if _looks_like_a_board(arg) and (place == 0 or args[place - 1] not in takes_a_value | {"--"})
        ]
        if lines:
            others = [arg for place, arg in enumerate(args) if place not in lines]
            args = [*others, "--", *(args[place] for place in lines)]
        return super().parse_args(ctx, args)


def _looks_like_a_board(text: str) -> bool:
    cells = "".join(text.split())[:10]
    return text.startswith("-") and len(cells) == 10 and set(cells) <= set(BLACK + WHITE + EMPTY + EITHER)


class _ValueOf(click.ParamType):  # type: ignore[type-arg]  # generic in its newest versions alone
    """What an option of a game's can be."""

    def __init__(self, option: GameOption) -> None:
        self.option = option
        self.name = option.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value, of the kind that the game's rules take."""
        option = self.option
        if not option.choices:
            return click.types.convert_type(type(option.default)).convert(value, param, ctx)
        found = [each for each in option.choices if value in (each, str(each))]
        if not found:
            self.fail(str(UnknownName.among(option.name, value, map(str, option.choices))), param, ctx)
        return found[0]

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str | None:
        """All there are, unless the help says so."""
        names = [str(each) for each in self.option.choices]
        if not names:
            return None
        return "NAME" if all(name in self.option.help for name in names) else f"[{'|'.join(names)}]"


def _made(option: GameOption, flag: str) -> click.Option:
    usual = "" if option.default is None else f"  [{option.default}]"
    return click.Option([flag, _PREFIX + option.name], type=_ValueOf(option), help=f"{option.help}{usual}")


# --- which game ---


def game_meant(game: str | None, options: Mapping[str, Any]) -> GameDescription | None:
    """The game that is named, or that alone has these options; None: any of the package's own."""
    if game is not None:
        found = game_named(game)
        for name in options:
            if not has_option(found, name):
                raise OutflankError(f"--{name} is for {_titles(name)}")
        return found
    if not options:
        return None
    able = [each for each in _own_games() if all(has_option(each, name) for name in options)]
    if not able:
        first, second = _at_odds(list(options))
        raise OutflankError(f"--{first} is for {_titles(first)}, --{second} for {_titles(second)}")
    return able[0] if len(able) == 1 else None


def refuse_options(game: GameDescription, options: Mapping[str, Any]) -> None:
    """An error if an option is none of the game that a position is of."""
    for name in options:
        if not has_option(game, name):
            raise OutflankError(f"--{name} is for {_titles(name)}; the position given is {game.title}")


def has_option(game: GameDescription, name: str) -> bool:
    """Whether something of that name can be chosen about a game."""
    return game.option(name) is not None


def _at_odds(names: Sequence[str]) -> tuple[str, str]:
    """Two options that no game has both of."""
    pairs = ((first, second) for place, first in enumerate(names) for second in names[place + 1 :])
    return next(
        (pair for pair in pairs if not any(all(has_option(each, name) for name in pair) for each in _own_games())),
        (names[0], names[-1]),
    )


def _titles(name: str) -> str:
    return " and ".join(each.title for each in _own_games() if has_option(each, name))


def _own_games(but: Sequence[GameDescription] = ()) -> list[GameDescription]:
    return [each for each in map(game_named, OWN_GAMES) if each not in but]


def _named_game(args: Sequence[str]) -> GameDescription | None:
    """The game that the command line names, its module imported; one that is not there is refused later."""
    name = next(reversed(list(_values("--game", args))), None)
    if name is None:
        return None
    if name not in OWN_GAMES:
        for module in _values("--import", args):
            import_users(module)
    try:
        return game_named(name)
    except OutflankError:
        return None


def _values(flag: str, args: Sequence[str]) -> Iterator[str]:
    for arg, following in zip(args, [*args, ""][1:], strict=True):
        if arg == flag and following:
            yield following
        elif arg.startswith(f"{flag}="):
            yield arg.partition("=")[2]


def _before_words(args: Sequence[str]) -> Sequence[str]:
    return args[: args.index("--")] if "--" in args else args


# --- in texts ---


def with_games(text: str) -> str:
    """A text with names of games in the places that are left for them."""
    if "{" not in text:
        return text
    own = _own_games()
    last = own[-1]
    choice = next((f"--{each.name} {each.choices[-1]}" for each in last.options if each.choices), "")
    files = ", ".join(f"{suffix} ({form.title})" for suffix, form in file_formats().items() if is_written(form))
    return text.format(
        first=own[0].name,
        last=last.name,
        choice=choice,
        forms=understood(own),
        files=files,
    )
