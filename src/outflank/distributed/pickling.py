"""Values that are pickled for another process, with the user's modules to be imported there before unpickling."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from outflank.errors import OutflankError
from outflank.user_modules import import_user_module, imported_modules


@dataclass(frozen=True, slots=True)
class PickledValue:
    """A pickled value with the modules that it needs."""

    modules: tuple[str, ...]
    data: bytes

    def load(self) -> Any:
        """Return the value. Raises OutflankError if a module cannot be imported here."""
        for module in self.modules:
            import_user_module(module)
        return pickle.loads(self.data)


def pickle_for_nodes(value: object, dumps: Callable[[object], bytes] = pickle.dumps) -> PickledValue:
    """Return the pickled value, with the modules that the user had this process import."""
    try:
        return PickledValue(imported_modules(), dumps(value))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise OutflankError(f"this cannot be sent to another process: {error}") from None
