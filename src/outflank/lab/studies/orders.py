"""Experiments on move ordering: sorting algorithms, and orders that depend on the stage of the game (report 000)."""

from collections.abc import Sequence
from dataclasses import dataclass

from outflank.games.hints import STAGES
from outflank.lab.experiment import option
from outflank.lab.experiment_boards import POSITIONS
from outflank.lab.experiment_report import Sample
from outflank.lab.measuring.search_samples import grouped, median, median_count
from outflank.lab.studies.option_comparisons import MIDGAME, START, Choosing, ChoosingParameters
from outflank.othello.orderings import ORDERINGS
from outflank.search.ordering import Ordering

SORTS = {
    "best": "best only",
    "insertion": "insertion sort",
    "backwards": "insertion sort, equals backwards",
    "heap": "heap sort",
    "merge": "merge sort",
    "all": "each when it is its turn",
}
"""Description of each value of `Ordering.sort`. Report 000's program uses a library with merge sort."""


class Sorting(Choosing):
    """Compares algorithms that sort moves, as report 000 does."""

    name = "sorting"
    question = "Is it worth sorting all moves, and does it matter by which sort?"
    reports = ("000",)
    parameters = ChoosingParameters
    choices = tuple(
        # from_depth=1: the report sorts the children of every node.
        ({"sort": description}, {"ordering": f"stones+squares:sort={sort},from_depth=1"})
        for sort, description in SORTS.items()
    )

    def notes(self, samples: Sequence[Sample]) -> tuple[str, ...]:
        notes = []
        for (board,), board_samples in grouped(samples, "board").items():
            by_sort = {str(label[0]): group for label, group in grouped(board_samples, "sort").items()}
            best, full = by_sort.get(SORTS["best"]), by_sort.get(SORTS["insertion"])
            if best and full and board in (START, MIDGAME):
                nodes = median_count(best, "nodes") / median_count(full, "nodes")
                times = median(best, "seconds") / median(full, "seconds")
                notes.append(
                    f"{board}: with the best move alone in front the search visits {nodes:.2f} times the boards of a "
                    f"full sort and takes {times:.2f} times as long (report 000: more than twice)."
                )
        notes.append(
            "Insertion and merge sort, and taking the best of the rest at each turn, all keep equal moves as they were "
            "generated: the same tree, at another price. The others differ in the order of equals alone."
        )
        return tuple(notes)


@dataclass(frozen=True, slots=True, kw_only=True)
class StagesParameters(ChoosingParameters):
    """Parameters of the experiment `stages`."""

    depth: int = option(9, "Plies from the start.")
    midgame_depth: int = option(9, "Plies from any other board.")
    positions: tuple[str, ...] = option(("tournament",), POSITIONS)
    rounds: int = option(1, "Times that each side is measured.")


def _then(early: str, late: str, from_stage: int) -> Ordering:
    first, second = (dict(ORDERINGS[name].weights) for name in (early, late))
    rows = [first] * from_stage + [second] * (STAGES - from_stage)
    return Ordering(by_stage=tuple(rows))


STAGED: dict[str, str | Ordering] = {
    # In the report's own tables stones+squares is best at the start, and potential in the mid-game.
    "stones+squares, then potential": _then("stones+squares", "potential", 2),
    "stones+squares, then mobility": _then("stones+squares", "mobility", 2),
    "by-stage": "by-stage",
}


class Stages(Choosing):
    """Compares fixed move orderings and orderings that change with the stage of the game."""

    name = "stages"
    question = "Should the order of moves depend on how far the game has come?"
    reports = ("000",)
    parameters = StagesParameters
    choices = tuple(
        ({"ordering": name}, {"ordering": ordering})
        for name, ordering in (
            *((name, name) for name in ("stones", "squares", "mobility", "potential", "stones+squares")),
            ("squares+mobility", "squares+mobility"),
            *STAGED.items(),
        )
    )

    def notes(self, samples: Sequence[Sample]) -> tuple[str, ...]:
        return (
            "By-stage was chosen on the tournament positions: what it saves there is more than it saves elsewhere.",
        )
