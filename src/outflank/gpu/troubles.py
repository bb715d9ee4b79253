"""What may be wrong with a GPU, each as one line."""

from outflank.errors import OutflankError


class DeviceTrouble(OutflankError):
    """A GPU that was asked for cannot do the work, and why. What a CPU does is not touched by it."""


class NoDevice(DeviceTrouble):
    """There is no GPU that can be used, and why."""
