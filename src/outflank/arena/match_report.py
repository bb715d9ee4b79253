"""Text report on the standing of a match."""

from outflank.arena.elo_statistics import MOST_ELO, Estimate
from outflank.arena.standing import MOST_APART, Duel, MatchStanding, is_unequal
from outflank.validation.text import how_many


def duel_lines(standing: MatchStanding, *, unit: str = "points") -> list[tuple[str, str]]:
    """Return the report on a match of two players as lines, each a label and a text."""
    duel = standing.duel
    lines = [("Elo", _estimated(duel.elo))]
    if standing.test is not None:
        lines.append(("LLR", str(standing.test)))
    lines.append(("Games", f"N: {duel.games} W: {duel.wins} L: {duel.losses} D: {duel.draws}"))
    if duel.pairs is not None:
        lines.append(("Penta", str(list(duel.pairs))))
    if duel.single_games:
        games = "game" if duel.single_games == 1 else "games"
        lines.append(("Pairs", f"{duel.single_games} {games} of no finished pair: left out of Elo, nElo and LOS"))
    lines += [
        ("nElo", _estimated(duel.normalized_elo)),
        ("LOS", f"{100 * duel.superiority:.2f} %"),
        ("Diff", _margin(duel, unit)),
    ]
    return lines + processor_lines(standing) + forfeit_lines(standing)


def _estimated(estimate: Estimate) -> str:
    """Return an estimate as text: value and error, or only one bound if the interval reaches an end of the scale.

    A player that has won every game is ahead by at least the interval's lower end. The upper end is unknown.
    """
    value, low, high = (f"{number:z.2f}" for number in (estimate.value, estimate.low, estimate.high))
    known = f"{value}, " if abs(estimate.value) < MOST_ELO else ""
    below, above = estimate.low <= -MOST_ELO, estimate.high >= MOST_ELO
    if below and above:
        return f"{known}its error is not known yet" if known else "not known yet"
    if above:
        return f"{known}at least {low} (95%)"
    if below:
        return f"{known}at most {high} (95%)"
    return f"{value} +- {estimate.error:.2f} (95%)"


def _margin(duel: Duel, unit: str) -> str:
    if not duel.margins:
        return "no game that the rules ended"
    games = "game" if len(duel.margins) == 1 else "games"
    return (
        f"{duel.margin:+z.2f} +- {duel.margin_error:.2f} {unit} (95%), deviation {duel.margin_deviation:.2f}, "
        f"{len(duel.margins)} {games}"
    )


def processor_lines(standing: MatchStanding) -> list[tuple[str, str]]:
    """Return lines on processor time: one for each player in a match of two, and a warning for each unequal pairing."""
    lines = []
    if len(standing.names) == 2 and standing.duel.processor:
        for name, use in zip(standing.names, standing.duel.processor_use, strict=True):
            lines.append(
                (
                    "CPU",
                    f"{name}: {use.cpu_seconds:.2f} s in {use.thinking_seconds:.2f} s of thinking, "
                    f"{100 * use.share:.1f} % of what it was entitled to",
                )
            )
    for (first, second), duel in standing.duels.items():
        first_use, second_use = duel.processor_use
        if not is_unequal(first_use, second_use):
            continue
        less, more = sorted(((first_use.share, standing.names[first]), (second_use.share, standing.names[second])))
        times = sum(is_unequal(*game, least_seconds=0.0) for game in duel.processor)
        lines.append(
            (
                "CPU",
                f"not equal: {less[1]} had {100 * less[0]:.1f} %, {more[1]} {100 * more[0]:.1f} % of what they were "
                f"entitled to; more than {100 * MOST_APART:.0f} points apart in {times} of "
                f"{how_many(len(duel.processor), 'game')}",
            )
        )
    return lines


def forfeit_lines(standing: MatchStanding) -> list[tuple[str, str]]:
    """Return lines that count the games lost by forfeit and the games drawn by the ply limit."""
    lines = []
    for number, name in enumerate(standing.names):
        reasons = standing.forfeits.get(number, {})
        if reasons:
            lines.append(("Lost", f"{name}: " + ", ".join(f"{count} {reason}" for reason, count in reasons.items())))
    if standing.drawn_by_limit:
        lines.append(("Drawn", f"{standing.drawn_by_limit} by the limit of plies"))
    return lines


def table_rows(standing: MatchStanding) -> tuple[list[str], list[list[str]]]:
    """Return the column names and the rows of the crosstable with ratings, the best player first."""
    order = sorted(range(len(standing.names)), key=lambda number: -standing.ratings[number].elo)
    columns = ["", "player", "Elo", "+-", "games", "points", *(str(place) for place in range(1, len(order) + 1))]
    rows = []
    for place, number in enumerate(order, 1):
        cells = standing.crosstable[number]
        games = sum(duel.games for pairing, duel in standing.duels.items() if number in pairing)
        rating = standing.ratings[number]
        rows.append(
            [
                str(place),
                standing.names[number],
                f"{rating.elo:z.0f}",
                f"{rating.error:.0f}",
                str(games),
                f"{sum(cell or 0.0 for cell in cells):g}",
                *("-" if cells[opponent] is None else f"{cells[opponent]:g}" for opponent in order),
            ]
        )
    return columns, rows


def report_text(standing: MatchStanding, *, unit: str = "points") -> str:
    """Return the whole report on a match as plain text."""
    if len(standing.names) == 2:
        head = [f"{standing.names[0]} against {standing.names[1]}"]
        return "\n".join(head + [f"{label:<5} | {text}" for label, text in duel_lines(standing, unit=unit)])
    columns, rows = table_rows(standing)
    widths = [max(len(row[place]) for row in (columns, *rows)) for place in range(len(columns))]
    lines = [
        "  ".join(
            cell.ljust(width) if place == 1 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (columns, *rows)
    ]
    return "\n".join(
        lines + [f"{label:<5} | {text}" for label, text in processor_lines(standing) + forfeit_lines(standing)]
    )
