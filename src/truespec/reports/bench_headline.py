"""The first sentences of a report: who does best, how wrong the judges are, on how many tasks."""

from __future__ import annotations

from collections.abc import Sequence

from truespec.metrics.table import Cell, Table
from truespec.version import __version__


def headline(tables: Sequence[Table], tasks: int) -> str:
    """What the tables come to, each figure with its counts and its 95 % interval."""
    found = {table.name: table for table in tables}
    said = []
    if board := found.get("leaderboard"):
        first = board.rows[0]
        rank, pooled = (first[board.columns.index(name)] for name in ("rank", "pooled"))
        said.append(
            f"Of {len(board.rows)} models, {first[0]} does best: {pooled} of its answers are proved "
            f"equivalent; its rank is {rank}."
        )
    elif (success := found.get("success")) and success.rows:
        said.append(f"{success.rows[0][0]}: {success.rows[0][-1]} of the answers are proved equivalent.")
    if judges := found.get("judges-pooled"):
        said += [
            _extremes(judges, "FAR", "wrong answers accepted"),
            _extremes(judges, "FRR", "right ones rejected"),
        ]
    said.append(f"{tasks} tasks, verified by truespec {__version__}. Intervals are 95 %, by task.")
    return " ".join(part for part in said if part)


def _extremes(table: Table, head: str, what: str) -> str:
    """The lowest and the highest figure of a column; empty where none is defined."""
    place = table.columns.index(head)
    cells = [(row[0], row[place]) for row in table.rows]
    known = [(c.value, name, c) for name, c in cells if isinstance(c, Cell) and c.value is not None]
    if not known:
        return ""
    low, high = min(known, key=lambda one: one[0]), max(known, key=lambda one: one[0])
    if low[1] == high[1]:
        return f"{head}, {what}: {low[2]} ({low[1]})."
    return f"{head}, {what}: from {low[2]} ({low[1]}) to {high[2]} ({high[1]})."
