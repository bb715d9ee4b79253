"""The first lines of a page: command, machine and time of the run."""

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
    """Return a sentence on the origin of a run; missing facts are omitted."""
    command = provenance.get("command")
    parts = [f"<code>{escape(command)}</code>" if isinstance(command, str) else ""]
    machine = provenance.get("machine")
    parts.append(
        f"on {escape(_machine_text(machine))}" if isinstance(machine, Mapping) and _machine_text(machine) else ""
    )
    parts.append(escape(_time_text(provenance.get("when"))))
    commit = provenance.get("commit")
    parts.append(f"commit {escape(commit)}" if isinstance(commit, str) else "")
    text = ", ".join(filter(None, parts))
    return f'<p class="soft origin">Run: {text}.</p>' if text else ""


def _machine_text(machine: Mapping[str, Any]) -> str:
    """Return a machine in words, such as `2 cores of a Ryzen 7`, with its system."""
    cores, processor, system = (machine.get(name) for name in ("usable_cores", "processor", "system"))
    parts = []
    if isinstance(cores, int | float) and not isinstance(cores, bool):
        parts.append(how_many(int(cores), "core") if cores == int(cores) else f"{cores:g} cores")
    if isinstance(processor, str) and processor:
        parts.append(f"of {processor}" if parts else processor)
    text = " ".join(parts)
    return f"{text} ({system})" if text and isinstance(system, str) else text


def _time_text(when: Any) -> str:
    """Return a time in readable form, or nothing if it is invalid."""
    try:
        moment = datetime.fromisoformat(when)
    except (TypeError, ValueError):
        return ""
    zone = "UTC" if moment.utcoffset() is not None and not moment.utcoffset() else f"{moment:%z}"
    return f"{moment:%Y-%m-%d %H:%M} {zone}".rstrip()
