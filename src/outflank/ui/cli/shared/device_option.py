"""`--device`, the option of every command that can use a GPU."""

from collections.abc import Callable

import click

from outflank.gpu.choosing import DEVICES, DeviceOption, resolve_device
from outflank.ui.cli.shared.option_groups import Command


def device_option(help: str) -> Callable[[Command], Command]:
    """Return a decorator that adds `--device`. The command gets the device to use: the search for a GPU is done by
    then."""
    return click.option(
        "--device",
        type=click.Choice(DEVICES),
        default="cpu",
        show_default=True,
        callback=_resolved,
        help=f"{help} With gpu-or-cpu the CPU takes over where no GPU can be used.",
    )


def _resolved(context: click.Context, option: click.Parameter, device: DeviceOption) -> DeviceOption:
    # Shell completion waits for the answer, and needs no device.
    return device if context.resilient_parsing else resolve_device(device)
