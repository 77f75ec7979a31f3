"""The paper's own selection of tasks (RESpecBench, Table 2), made from the data sets as published.

The paper names its sources and counts, and says of some how it chose. Where it does not, we choose by a rule
that anyone can repeat; `CRITERIA` states both.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from truespec.benchmark.refined import UPSTREAM, refined
from truespec.benchmark.sources.registry import load
from truespec.benchmark.task import HIDDEN, Task
from truespec.benchmark.unfit import determined
from truespec.domains.verify import Pair, verify_pair
from truespec.verdict import Answer, ReasonCode, UsageError

COUNTS = {"arith": 250, "sql": 76, "fol": 150, "regex": 200, "rocq": 31}
"""Table 2."""

SOURCES = {
    "arith": ("gsm-symbolic",),
    "sql": ("polygon", "scythe"),
    "fol": ("folio",),
    "regex": ("nl-rx",),
    "rocq": ("clever",),
}
"""Which data sets a domain's tasks come from, in this order."""

CRITERIA = {
    "arith": "every template",
    "sql": "the LeetCode questions of Polygon, filled up with forum questions of Scythe in their order, less "
    "those whose query MariaDB rejects",
    "fol": "the sentences of FOLIO v0 with most distinct constants, then most quantifiers, less those with "
    "two formulas and those that do not determine their formula (folio_unfit.toml)",
    "regex": "a seeded sample of NL-RX-Turk, less empty, universal and repeated patterns and those with \\b; "
    "statements of ours where there is one (nl_rx_refined.toml)",
    "rocq": "the CLEVER problems with a translation of ours, in the order of their numbers",
}
"""How the tasks of a domain are chosen."""

SEED = 2016
"""Of the sample of regular expressions."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The tasks of one domain, and where they come from."""

    domain: str
    """Which language."""
    tasks: tuple[Task, ...]
    """At most the paper's count."""
    taken: tuple[tuple[str, int], ...]
    """How many of which data set."""
    missing: tuple[str, ...]
    """Data sets that were not found, with the reason."""
    rejected: tuple[str, ...] = ()
    """Tasks that would have been taken, but whose reference is unusable, with the reason."""
    notes: tuple[str, ...] = ()
    """What else a reader of the selection has to know."""


def select(folder: Path) -> list[Chosen]:
    """The paper's selection from data sets below a folder, each in a subfolder of its name or elsewhere."""
    return [choose(domain, folder) for domain in SOURCES]


def choose(domain: str, folder: Path) -> Chosen:
    """The tasks of one domain, from the same folder as `select`."""
    missing: list[str] = []
    rejected: list[str] = []
    tasks: Iterable[Task] = chain.from_iterable(_tasks(name, folder, missing) for name in SOURCES[domain])
    if domain == "sql":
        tasks = _usable(tasks, rejected)
    elif domain == "fol":
        tasks = list(tasks)
    ordered = CHOOSE[domain](tasks)
    if isinstance(tasks, list):
        ordered = determined(ordered, tasks, rejected)
    chosen = tuple(islice(ordered, COUNTS[domain]))
    if domain == "regex":
        chosen = tuple(refined(task) for task in chosen)
    taken = tuple(Counter(task.source.dataset for task in chosen).items())
    return Chosen(domain, chosen, taken, tuple(missing), tuple(rejected), tuple(_notes(chosen)))


def _notes(chosen: Sequence[Task]) -> Iterator[str]:
    """What the tasks of a domain hide, lack or leave open."""
    units = [unit for task in chosen for unit in _mapping(task, "units").values()]
    if units:
        known = len(units) - units.count(None)
        yield (
            f"the units of {known} of {len(units)} variables stand in the templates; of the others, prompts "
            "say that there is none"
        )
    if any(task.domain == "regex" for task in chosen):
        ours = sum(UPSTREAM in task.extra for task in chosen)
        yield f"{ours} of {len(chosen)} statements are refined; upstream's stands in {UPSTREAM!r}"
    hiding = sum(HIDDEN in task.extra for task in chosen)
    if hiding:
        yield f"{hiding} prompts leave out constraints that would tell the reference"
    for task in chosen:
        for tag in task.tags:
            if tag.startswith("ambiguous:"):
                yield f"{task.id}: the template uses {tag.partition(':')[2]!r} for two different values"


def _mapping(task: Task, name: str) -> Mapping[str, object]:
    found = task.extra.get(name)
    return found if isinstance(found, Mapping) else {}


def _tasks(name: str, folder: Path, missing: list[str]) -> Iterator[Task]:
    """The tasks of one data set; a set that is not there is noted and yields none."""
    why = ""
    below = sorted(path for path in folder.glob("*") if path.is_dir()) if folder.is_dir() else []
    for home in (folder / name, folder, *below):
        if not home.is_dir():
            continue
        try:
            yield from (record for record in load(name)(home) if isinstance(record, Task))
            return
        except UsageError as error:
            why = why or str(error).replace(str(home), str(folder), 1)
    missing.append(f"{name}: {why or f'{folder} is no folder'}")


def _usable(tasks: Iterable[Task], rejected: list[str]) -> Iterator[Task]:
    """The tasks whose oracle the engine accepts; the others are noted. Without the engine, all of them."""
    for task in tasks:
        reason = verify_pair(Pair(task.domain, task.oracle, task.oracle, dict(task.context)), 10.0).reason
        if reason is not None and reason.code in (ReasonCode.ORACLE, ReasonCode.CONTEXT):
            rejected.append(f"{task.id}: {reason.detail.splitlines()[0]}")
        else:
            yield task


def _all(tasks: Iterable[Task]) -> Iterator[Task]:
    return iter(tasks)


def _by_constants(tasks: Iterable[Task]) -> Iterator[Task]:
    first = [task for task in tasks if "v0" in task.tags]
    formulas = Counter(task.statement for task in first)

    def count(task: Task, name: str) -> int:
        return next(int(tag.partition(":")[2]) for tag in task.tags if tag.startswith(f"{name}:"))

    clear = [task for task in first if formulas[task.statement] == 1]
    return iter(sorted(clear, key=lambda task: (-count(task, "constants"), -count(task, "quantifiers"))))


def _sampled(tasks: Iterable[Task]) -> Iterator[Task]:
    turk = [task for task in tasks if "turk" in task.tags and r"\b" not in task.oracle]
    random.Random(SEED).shuffle(turk)
    seen: set[str] = set()
    for task in turk:
        plain = re.sub(r"\s", "", task.oracle)
        if plain in seen or not _discriminates(task):
            continue
        seen.add(plain)
        yield task


def _discriminates(task: Task) -> bool:
    """Whether a pattern matches something, but not everything."""
    for other in (".*", "~(.*)"):
        verdict = verify_pair(Pair("regex", task.oracle, other, dict(task.context)), 2.0)
        if verdict.answer is not Answer.REFUTED:
            return False
    return True


def _translated(tasks: Iterable[Task]) -> Iterator[Task]:
    return (task for task in tasks if task.oracle)


CHOOSE: dict[str, Callable[[Iterable[Task]], Iterator[Task]]] = {
    "arith": _all,
    "sql": _all,
    "fol": _by_constants,
    "regex": _sampled,
    "rocq": _translated,
}
"""The rule of each domain: tasks in the order in which they are taken."""
