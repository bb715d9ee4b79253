"""The option `--device` of commands that can use a GPU."""

from collections.abc import Callable

import click

from outflank.gpu.choosing import DEVICES, DeviceOption, resolve_device
from outflank.ui.cli.shared.option_groups import Command


def device_option(help: str) -> Callable[[Command], Command]:
    """Return a decorator that adds `--device`. Without a GPU, `gpu-or-cpu` becomes `cpu`, and `gpu` is an error."""
    return click.option(
        "--device",
        type=click.Choice(DEVICES),
        default="cpu",
        show_default=True,
        callback=_resolved,
        help=f"{help} With gpu-or-cpu the CPU takes over where no GPU can be used.",
    )


def _resolved(context: click.Context, option: click.Parameter, device: DeviceOption) -> DeviceOption:
    # Shell completion needs no device and must not wait for the search for one.
    return device if context.resilient_parsing else resolve_device(device)
