"""Command-line options that come from games: the choice of a game, and the options of its rules.

Descriptions of games are loaded only if the command line names a game or one of its options. A user's game is imported
before the command line is parsed, because its options are part of the command line.
"""

from collections.abc import Callable, Iterator, Sequence

import click

from outflank.errors import OutflankError, UnknownName
from outflank.formats.drawn_boards import BLACK, EITHER, EMPTY, WHITE
from outflank.formats.game_files import file_formats, is_written
from outflank.formats.game_record import titles_with
from outflank.formats.recognise import accepted_forms
from outflank.games.description import GAMES, OWN_GAMES, GameDescription, GameOption, RuleOptions, game_named
from outflank.ui.cli.shared.option_groups import Command, NameOf
from outflank.user_modules import import_user_module

ARGUMENT = "game_options"
"""Name of the command's argument that holds the values of the game options, in the order of the command line."""

_CONTEXT_KEY = "outflank.games offered"
_PREFIX = "option_of_game_"


def game_option(help: str) -> Callable[[Command], Command]:
    """Return a decorator that adds `--game` to a `GameCommand`."""
    return click.option("--game", type=NameOf(GAMES), help=f"{help}  [{OWN_GAMES[0]}]")


class HelpWithGames(click.Command):
    """Command whose help text has placeholders, which are replaced by facts about games when the help is shown.

    `{first}` and `{last}` are the names of the package's first and last game. `{choice}` is an option of the last game.
    `{forms}` are the notations that can be read, and `{files}` are the file formats that can be written.
    """

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        template = self.help
        try:
            self.help = fill_placeholders(template or "")
            super().format_help_text(ctx, formatter)
        finally:
            self.help = template


class GameCommand(HelpWithGames):
    """Command with `--game`, which also has the options of the named game.

    Without `--game`, it has the options of all games of the package.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_CONTEXT_KEY] = self._options_for(ctx, _before_arguments(args))
        rest = super().parse_args(ctx, args)
        values = {name: ctx.params.pop(name) for name in list(ctx.params) if name.startswith(_PREFIX)}
        ctx.params[ARGUMENT] = {
            name.removeprefix(_PREFIX): value for name, value in values.items() if value is not None
        }
        return rest

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        options = ctx.meta.get(_CONTEXT_KEY)
        if options is None:
            options = ctx.meta[_CONTEXT_KEY] = self._options(_own_games())
        params = super().get_params(ctx)
        index = next(index for index, parameter in enumerate(params) if parameter.name == "game") + 1
        return [*params[:index], *options, *params[index:]]

    def _options_for(self, ctx: click.Context, args: Sequence[str]) -> list[click.Option]:
        """Return the options of all games that the command line may refer to."""
        named = _named_game(args)
        games = [] if named is None else [named]
        known = {
            name
            for parameter in (*super().get_params(ctx), *self._options(games))
            for name in (*parameter.opts, *parameter.secondary_opts)
        }
        flags = {arg.partition("=")[0] for arg in args if arg.startswith("-")}
        asks_for_help = not flags.isdisjoint(ctx.help_option_names)
        if asks_for_help and games:
            return self._options(games)
        return self._options([*games, *_own_games(except_for=games)] if asks_for_help or not flags <= known else games)

    def _options(self, games: Sequence[GameDescription]) -> list[click.Option]:
        used_flags = {name for parameter in self.params for name in parameter.opts}
        options: dict[str, click.Option] = {}
        for game in games:
            for option in game.variants.options:
                word = option.name.replace("_", "-")
                flag = f"--{word}" if f"--{word}" not in used_flags else f"--{game.name}-{word}"
                if option.name not in options:  # the named game comes first and takes precedence
                    options[option.name] = _click_option(option, flag)
        return list(options.values())


class PositionCommand(GameCommand):
    """Command whose POSITION may begin with dashes, as most board lines do."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        takes_a_value = {
            name
            for option in self.params
            if isinstance(option, click.Option) and not option.is_flag
            for name in option.opts
        }
        board_indices = [
            index
            for index, arg in enumerate(args)
            if _looks_like_a_board(arg) and (index == 0 or args[index - 1] not in takes_a_value | {"--"})
        ]
        if board_indices:
            others = [arg for index, arg in enumerate(args) if index not in board_indices]
            args = [*others, "--", *(args[index] for index in board_indices)]
        return super().parse_args(ctx, args)


def _looks_like_a_board(text: str) -> bool:
    cells = "".join(text.split())[:10]
    return text.startswith("-") and len(cells) == 10 and set(cells) <= set(BLACK + WHITE + EMPTY + EITHER)


class _ValueOf(click.ParamType):  # type: ignore[type-arg]  # generic only in the newest versions of click
    """Type of a game option's value."""

    def __init__(self, option: GameOption) -> None:
        self.option = option
        self.name = option.name

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> object:
        option = self.option
        if not option.choices:
            return click.types.convert_type(type(option.default)).convert(value, param, ctx)
        matches = [choice for choice in option.choices if value in (choice, str(choice))]
        if not matches:
            self.fail(str(UnknownName.among(option.name, value, map(str, option.choices))), param, ctx)
        return matches[0]

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str | None:
        """Return the choices, `NAME` if the option's help lists them already, or None if the option has none."""
        names = [str(choice) for choice in self.option.choices]
        if not names:
            return None
        return "NAME" if all(name in self.option.help for name in names) else f"[{'|'.join(names)}]"


def _click_option(option: GameOption, flag: str) -> click.Option:
    default_text = "" if option.default is None else f"  [{option.default}]"
    return click.Option([flag, _PREFIX + option.name], type=_ValueOf(option), help=f"{option.help}{default_text}")


# --- the choice of a game ---


def intended_game(game: str | None, options: RuleOptions) -> GameDescription | None:
    """Return the named game. If `game` is None, return the only game of the package that has these options, or None if
    several games have them."""
    if game is not None:
        description = game_named(game)
        for name in options:
            if description.variants.option(name) is None:
                raise OutflankError(f"--{name} is for {titles_with(name)}")
        return description
    if not options:
        return None
    candidates = [candidate for candidate in _own_games() if all(candidate.variants.option(name) for name in options)]
    if not candidates:
        first, second = _incompatible_pair(list(options))
        raise OutflankError(f"--{first} is for {titles_with(first)}, --{second} for {titles_with(second)}")
    return candidates[0] if len(candidates) == 1 else None


def _incompatible_pair(names: Sequence[str]) -> tuple[str, str]:
    """Return two options that no game has together."""
    pairs = ((first, second) for index, first in enumerate(names) for second in names[index + 1 :])
    return next(
        (pair for pair in pairs if not any(all(game.variants.option(name) for name in pair) for game in _own_games())),
        (names[0], names[-1]),
    )


def _own_games(except_for: Sequence[GameDescription] = ()) -> list[GameDescription]:
    return [game for game in map(game_named, OWN_GAMES) if game not in except_for]


def _named_game(args: Sequence[str]) -> GameDescription | None:
    """Return the game that `--game` names, after importing its module; None without `--game` or for an unknown name."""
    name = next(reversed(list(_values("--game", args))), None)
    if name is None:
        return None
    if name not in OWN_GAMES:
        for module in _values("--import", args):
            import_user_module(module)
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


def _before_arguments(args: Sequence[str]) -> Sequence[str]:
    return args[: args.index("--")] if "--" in args else args


# --- placeholders in help texts ---


def fill_placeholders(text: str) -> str:
    """Return a help text with its placeholders replaced by facts about games."""
    if "{" not in text:
        return text
    own = _own_games()
    last = own[-1]
    choice = next((f"--{option.name} {option.choices[-1]}" for option in last.variants.options if option.choices), "")
    files = ", ".join(f"{suffix} ({form.title})" for suffix, form in file_formats().items() if is_written(form))
    return text.format(
        first=own[0].name,
        last=last.name,
        choice=choice,
        forms=accepted_forms(own),
        files=files,
    )
