"""The rules of what was read, with the options that its text leaves open: a board line does not say how it counts."""

from collections.abc import Callable, Mapping
from typing import Any

from outflank.errors import InvalidOption
from outflank.formats.setup import Setup
from outflank.games.description import description_of


def under(
    setup: Setup,
    options: Mapping[str, Any],
    called: Callable[[str, Any], str] = lambda name, value: f"{name}={value!r}",
) -> Setup:
    """What was read, under the options given; an error where it says otherwise, which has them as they are `called`."""
    found = description_of(setup.game)
    told, changed = found.options_of(setup.game), {}
    for option in found.options:
        value = options.get(option.name)
        if value is None:
            continue
        if option.name not in told:
            if not setup.moves:
                said = called(option.name, value)
                raise InvalidOption(f"{said}: the position given is a position, not a list of moves")
        elif option.told is None and found.with_options is not None:
            changed[option.name] = value
        elif told[option.name] != value:
            there = told[option.name] if option.told is None else option.told(told[option.name])
            raise InvalidOption(f"{called(option.name, value)}: the position given has {there}")
    return setup.with_game(found.with_options(setup.game, changed)) if changed and found.with_options else setup
