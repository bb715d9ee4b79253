"""The first message to a connection: the games, algorithms and schemes of this server."""

from functools import cache

from outflank import __version__
from outflank.games.description import GAMES, GameDescription, GameOption
from outflank.search.algorithms import ALGORITHMS
from outflank.search.checking import MONTE_CARLO
from outflank.search.division import SCHEMES
from outflank.ui.web.games.exporting import forms_of
from outflank.ui.web.messages import VERSION, GameChoice, GameKind, SchemeKind, Welcome


@cache
def welcome(cores: int) -> Welcome:
    """Return the first message."""
    return Welcome(
        version=VERSION,
        package=__version__,
        games=tuple(_game_kind(description) for description in GAMES.parts().values()),
        algorithms=(*ALGORITHMS, *MONTE_CARLO),
        schemes=tuple(
            SchemeKind(
                name=scheme.name,
                algorithms=scheme.algorithms,
                promises=scheme.promises_text,
                overhead=scheme.overhead,
            )
            for scheme in SCHEMES.parts().values()
        ),
        cores=cores,
    )


def _game_kind(description: GameDescription) -> GameKind:
    return GameKind(
        name=description.name,
        title=description.title,
        options=tuple(_game_choice(option) for option in description.options),
        levels=len(description.levels),
        unit=description.unit.name,
        forms=forms_of(description),
    )


def _game_choice(option: GameOption) -> GameChoice:
    choice_text = option.value_text or str
    return GameChoice(
        name=option.name,
        help=option.help,
        choices=option.choices,
        told=tuple(choice_text(choice) for choice in option.choices),
        default=option.default,
    )
