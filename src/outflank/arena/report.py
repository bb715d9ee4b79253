"""A standing in the lines that people paste."""

from outflank.arena.standing import Duel, MatchStanding
from outflank.arena.statistics import MOST_ELO, Estimate


def duel_lines(standing: MatchStanding, *, unit: str = "points") -> list[tuple[str, str]]:
    """The report on two players: a word and what it says, line by line."""
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
    return lines + forfeit_lines(standing)


def _estimated(estimate: Estimate) -> str:
    """A difference and its error; of an interval that the scale cuts off, the end that it has.

    Who has won every game is ahead by so much at least, and by how much more nobody knows.
    """
    value, low, high = (f"{each:z.2f}" for each in (estimate.value, estimate.low, estimate.high))
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


def forfeit_lines(standing: MatchStanding) -> list[tuple[str, str]]:
    """Games that were lost other than by the rules, or cut short."""
    lines = []
    for number, name in enumerate(standing.names):
        reasons = standing.forfeits.get(number, {})
        if reasons:
            lines.append(("Lost", f"{name}: " + ", ".join(f"{count} {reason}" for reason, count in reasons.items())))
    if standing.drawn_by_limit:
        lines.append(("Drawn", f"{standing.drawn_by_limit} by the limit of plies"))
    return lines


def table_rows(standing: MatchStanding) -> tuple[list[str], list[list[str]]]:
    """The crosstable with ratings, the best player first: names of columns, and rows."""
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
                *("-" if cells[other] is None else f"{cells[other]:g}" for other in order),
            ]
        )
    return columns, rows


def report_text(standing: MatchStanding, *, unit: str = "points") -> str:
    """All of it as plain text."""
    if len(standing.names) == 2:
        head = [f"{standing.names[0]} against {standing.names[1]}"]
        return "\n".join(head + [f"{word:<5} | {says}" for word, says in duel_lines(standing, unit=unit)])
    columns, rows = table_rows(standing)
    widths = [max(len(row[place]) for row in (columns, *rows)) for place in range(len(columns))]
    lines = [
        "  ".join(
            cell.ljust(width) if place == 1 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (columns, *rows)
    ]
    return "\n".join(lines + [f"{word:<5} | {says}" for word, says in forfeit_lines(standing)])
