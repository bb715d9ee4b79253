"""Where a Ray cluster has room for a node, and why one was lost: what searches and tasks on Ray have in common."""

from typing import Any

MOST_REPLACED = 20
"""Actors in a row that may die in a place before it is given up."""


def places(ray: Any, here: int | None) -> dict[str, float]:
    """Where there can be a node, with its cores: so many on this machine, or one on each that has cores."""
    if here is not None:
        return {f"here-{index}": 0.0 for index in range(here)}
    return {
        node["NodeID"]: node["Resources"]["CPU"]
        for node in ray.nodes()
        if node["Alive"] and node["Resources"].get("CPU", 0) > 0
    }


def options_at(place: str, cores: float, here: int | None) -> dict[str, Any]:
    """How an actor is started in a place, with so many cores of it."""
    if here is not None:
        return {"num_cpus": 0}
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    return {"num_cpus": cores, "scheduling_strategy": NodeAffinitySchedulingStrategy(place, soft=False)}


def reason(error: BaseException) -> str:
    """Ray's explanations fill a screen: what matters is the kind."""
    known = {
        "ActorDiedError": "its process died",
        "ActorUnavailableError": "it cannot be reached",
        "ActorUnschedulableError": "its machine has left the cluster",
    }
    return known.get(type(error).__name__, type(error).__name__)
