"""`outflank completion`: completion of commands, options and names in the shell."""

import os
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from outflank.command_lines import PROGRAM
from outflank.errors import OutflankError, UnknownName
from outflank.folders import config_folder, data_folder
from outflank.ui.cli.shared.output_files import STANDARD_OUTPUT, write_output
from outflank.ui.cli.shared.position_options import output

COMPLETE_VARIABLE = f"_{PROGRAM.upper()}_COMPLETE"
"""Environment variable with which the scripts ask click for the words that may follow."""


def _files() -> dict[str, Path]:
    """Return the file of each shell's script, where the shell looks for it."""
    data = data_folder().parent
    return {
        "bash": data / "bash-completion" / "completions" / PROGRAM,
        "zsh": data / "zsh" / "site-functions" / f"_{PROGRAM}",
        "fish": config_folder().parent / "fish" / "completions" / f"{PROGRAM}.fish",
    }


@click.command("completion")
@click.argument("shell", required=False, metavar="[bash|zsh|fish]")
@click.option("--install", is_flag=True, help="Write the script to the user's folder in which the shell looks for it.")
@click.pass_context
def command(context: click.Context, shell: str | None, install: bool) -> None:
    """Print or install the script with which a shell completes commands, options and names.

    Without an argument, the script is for the shell in the environment variable SHELL.

    \b
      outflank completion --install
      outflank completion zsh > ~/.zfunc/_outflank
    """
    files = _files()
    name = Path(os.environ.get("SHELL", "")).name if shell is None else shell
    if name not in files:
        raise UnknownName.among("shell", name, sorted(files)) if name else OutflankError("which shell? bash, fish, zsh")
    shell_class = get_completion_class(name)
    assert shell_class is not None
    script = shell_class(context.find_root().command, {}, PROGRAM, COMPLETE_VARIABLE).source()
    if not install:
        write_output(STANDARD_OUTPUT, f"{script}\n")
        return
    file = files[name]
    file.parent.mkdir(parents=True, exist_ok=True)
    write_output(file, f"{script}\n")
    console = output()
    console.print(f"{file} is written; new shells complete {PROGRAM}")
    if name == "zsh":
        console.print(f"if they do not, add this to ~/.zshrc, before compinit:  fpath+=({file.parent})")
