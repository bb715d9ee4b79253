"""Rule options for a text that leaves them open: a board line does not state its scoring."""

from collections.abc import Callable, Mapping
from typing import Any

from outflank.errors import InvalidOption
from outflank.formats.setup import Setup
from outflank.games.description import description_of


def apply_rule_options(
    setup: Setup,
    options: Mapping[str, Any],
    option_text: Callable[[str, Any], str] = lambda name, value: f"{name}={value!r}",
) -> Setup:
    """Return the setup under the given options; if the text contradicts an option, raise an error that names this
    option by `option_text`."""
    described = description_of(setup.game)
    stated, changed = described.options_of(setup.game), {}
    for option in described.options:
        value = options.get(option.name)
        if value is None:
            continue
        if option.name not in stated:
            if not setup.moves:
                text = option_text(option.name, value)
                raise InvalidOption(f"{text}: the position given is a position, not a list of moves")
        elif option.value_text is None and described.with_options is not None:
            changed[option.name] = value
        elif stated[option.name] != value:
            actual = stated[option.name] if option.value_text is None else option.value_text(stated[option.name])
            raise InvalidOption(f"{option_text(option.name, value)}: the position given has {actual}")
    return setup.with_game(described.with_options(setup.game, changed)) if changed and described.with_options else setup
