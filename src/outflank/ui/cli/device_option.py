"""`--device`, for every command that can work on a GPU."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from outflank.gpu.choosing import DEVICES, DeviceAsked, settled_device

Command = TypeVar("Command", bound=Callable[..., Any])


def device_option(help: str) -> Callable[[Command], Command]:
    """Where the work is done. A command is given what is left to ask for: whether there is a GPU is known by then."""
    return click.option(
        "--device",
        type=click.Choice(DEVICES),
        default="cpu",
        show_default=True,
        callback=_settled,
        help=f"{help} With gpu-or-cpu the CPU goes on where no GPU can.",
    )


def _settled(context: click.Context, option: click.Parameter, asked: DeviceAsked) -> DeviceAsked:
    # A shell that completes a line waits for the answer, and asks for no work.
    return asked if context.resilient_parsing else settled_device(asked)
