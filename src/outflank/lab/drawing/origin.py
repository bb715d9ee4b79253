"""The first lines of a page: what was run, on what machine, and when."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from outflank.lab.drawing.looks import escape
from outflank.words import how_many

RULES = """
.origin code {font:.95em/1.4 ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.origin code {background:none;color:inherit;padding:0}
"""


def origin_html(provenance: Mapping[str, Any]) -> str:
    """A sentence; of what a document does not tell, nothing."""
    command = provenance.get("command")
    said = [f"<code>{escape(command)}</code>" if isinstance(command, str) else ""]
    machine = provenance.get("machine")
    said.append(f"on {escape(_machine(machine))}" if isinstance(machine, Mapping) and _machine(machine) else "")
    said.append(escape(_moment(provenance.get("when"))))
    commit = provenance.get("commit")
    said.append(f"commit {escape(commit)}" if isinstance(commit, str) else "")
    told = ", ".join(filter(None, said))
    return f'<p class="soft origin">Run: {told}.</p>' if told else ""


def _machine(machine: Mapping[str, Any]) -> str:
    """`2 cores of a Ryzen 7`, with the system."""
    cores, processor, system = (machine.get(name) for name in ("usable_cores", "processor", "system"))
    parts = []
    if isinstance(cores, int | float) and not isinstance(cores, bool):
        parts.append(how_many(int(cores), "core") if cores == int(cores) else f"{cores:g} cores")
    if isinstance(processor, str) and processor:
        parts.append(f"of {processor}" if parts else processor)
    told = " ".join(parts)
    return f"{told} ({system})" if told and isinstance(system, str) else told


def _moment(when: Any) -> str:
    """A time as people write it."""
    try:
        moment = datetime.fromisoformat(when)
    except (TypeError, ValueError):
        return ""
    zone = "UTC" if moment.utcoffset() is not None and not moment.utcoffset() else f"{moment:%z}"
    return f"{moment:%Y-%m-%d %H:%M} {zone}".rstrip()
