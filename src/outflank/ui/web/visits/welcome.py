"""What a connection is told first: what there is to play and to search with."""

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
    """The first message."""
    return Welcome(
        version=VERSION,
        package=__version__,
        games=tuple(_kind(each) for each in GAMES.parts().values()),
        algorithms=(*ALGORITHMS, *MONTE_CARLO),
        schemes=tuple(
            SchemeKind(name=each.name, algorithms=each.algorithms, promises=each.promises_text, overhead=each.overhead)
            for each in SCHEMES.parts().values()
        ),
        cores=cores,
    )


def _kind(description: GameDescription) -> GameKind:
    return GameKind(
        name=description.name,
        title=description.title,
        options=tuple(_choice(each) for each in description.options),
        levels=len(description.levels),
        unit=description.unit.name,
        forms=forms_of(description),
    )


def _choice(option: GameOption) -> GameChoice:
    told = option.told or str
    return GameChoice(
        name=option.name,
        help=option.help,
        choices=option.choices,
        told=tuple(told(each) for each in option.choices),
        default=option.default,
    )
