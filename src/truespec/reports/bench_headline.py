"""The first sentences of a report: who does best, how wrong the judges are, on how many tasks."""

from __future__ import annotations

from collections.abc import Sequence

from truespec.benchmark.difficulty import EASY
from truespec.benchmark.task import Task
from truespec.metrics.table import Cell, Table
from truespec.reports.bench import tables
from truespec.reports.bench_runs import Loaded
from truespec.version import __version__


def headline(tables: Sequence[Table], tasks: int) -> str:
    """What the tables come to, each figure with its counts and its 95 % interval."""
    found = {table.name: table for table in tables}
    said = []
    if board := found.get("leaderboard"):
        said.append(_best(board))
    elif (success := found.get("success")) and success.rows:
        said.append(f"{success.rows[0][0]}: {success.rows[0][-1]} of the answers are proved equivalent.")
    if judges := found.get("judges-pooled"):
        said += [
            _extremes(judges, "FAR", "wrong answers accepted"),
            _extremes(judges, "FRR", "right ones rejected"),
        ]
    said.append(f"{tasks} tasks, verified by truespec {__version__}. Intervals are 95 %, by task.")
    return " ".join(part for part in said if part)


def _best(board: Table) -> str:
    """Who leads, and with whom the lead is shared."""
    place, first = board.columns.index("pooled"), board.rows[0]
    rank, pooled = first[board.columns.index("rank")], first[place]
    if _value(pooled) is None:
        return f"{len(board.rows)} models were asked no task in common, so none is said to do best."
    level = [row[0] for row in board.rows if _value(row[place]) == _value(pooled)]
    if len(level) == 1:
        return (
            f"Of {len(board.rows)} models, {first[0]} does best: {pooled} of its answers are proved "
            f"equivalent; its rank is {rank}."
        )
    names = f"{', '.join(level[:-1])} and {level[-1]}"
    return f"Of {len(board.rows)} models, {names} do equally well: {pooled} of answers are proved equivalent."


def _value(cell: str) -> object:
    return cell.value if isinstance(cell, Cell) else cell


def headline_of(loaded: Loaded, found: Sequence[Table], tasks: Sequence[Task]) -> str:
    """The headline of runs: on the tasks that are not easy, where the runs asked any."""
    easy = {task.id for task in tasks if EASY in task.tags}
    kept = [task for task in tasks if task.id not in easy]
    answers = [record for record in loaded.answers if record["task"] not in easy]
    if not easy or not answers:
        return headline(found, len(tasks))
    judgements = [record for record in loaded.judgements if record["task"] not in easy]
    missing = [record for record in loaded.missing if record["task"] not in easy]
    told = headline(tables(answers, judgements, kept, missing), len(kept))
    return f"{told} {len(easy)} easy tasks are left out of these figures; the tables hold them."


def _extremes(table: Table, head: str, what: str) -> str:
    """The lowest and the highest figure of a column; empty where none is defined."""
    place = table.columns.index(head)
    cells = [(row[0], row[place]) for row in table.rows]
    known = [(c.value, name, c) for name, c in cells if isinstance(c, Cell) and c.value is not None]
    if not known:
        return ""
    low, high = min(known, key=lambda one: one[0]), max(known, key=lambda one: one[0])

    def whose(one: tuple[float, object, Cell]) -> str:
        others = sum(value == one[0] for value, _, _ in known) - 1
        return f"{one[1]} and {others} more" if others else str(one[1])

    if low[0] == high[0]:
        return f"{head}, {what}: {low[2]} ({whose(low)})."
    return f"{head}, {what}: from {low[2]} ({whose(low)}) to {high[2]} ({whose(high)})."
