"""What travels pickled to another process, with the user's modules that it may name: those are imported there first."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from outflank.errors import OutflankError
from outflank.user_modules import import_users, imported_modules


@dataclass(frozen=True, slots=True)
class PickledValue:
    """A value on its way."""

    modules: tuple[str, ...]
    data: bytes

    def load(self) -> Any:
        """The value. Raises OutflankError where a module cannot be imported here."""
        for module in self.modules:
            import_users(module)
        return pickle.loads(self.data)


def pickle_for_nodes(value: Any, dumps: Callable[[Any], bytes] = pickle.dumps) -> PickledValue:
    """A value for other processes, with the modules that this one was told to import."""
    try:
        return PickledValue(imported_modules(), dumps(value))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise OutflankError(f"this cannot be sent to another process: {error}") from None
