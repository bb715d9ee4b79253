"""The places of a Ray cluster for nodes, and why a node was lost: shared by searches and tasks on Ray."""

from types import ModuleType

MOST_REPLACED = 20
"""Actors that may die in a row in a place before the place is given up."""


def places(ray: ModuleType, local_nodes: int | None) -> dict[str, float]:
    """Return the places for nodes, with their cores: `local_nodes` on this machine, or one on each that has cores."""
    if local_nodes is not None:
        return {f"here-{index}": 0.0 for index in range(local_nodes)}
    return {
        node["NodeID"]: node["Resources"]["CPU"]
        for node in ray.nodes()
        if node["Alive"] and node["Resources"].get("CPU", 0) > 0
    }


def options_at(place: str, cores: float, local_nodes: int | None) -> dict[str, object]:
    """Return Ray's options to start an actor in a place with `cores` of its cores."""
    if local_nodes is not None:
        return {"num_cpus": 0}
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    return {"num_cpus": cores, "scheduling_strategy": NodeAffinitySchedulingStrategy(place, soft=False)}


def reason(error: BaseException) -> str:
    """Return a short reason for an error of Ray by its type: Ray's own explanations fill a screen."""
    reasons = {
        "ActorDiedError": "its process died",
        "ActorUnavailableError": "it cannot be reached",
        "ActorUnschedulableError": "its machine has left the cluster",
    }
    return reasons.get(type(error).__name__, type(error).__name__)
