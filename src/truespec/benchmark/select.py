"""Which tasks a run asks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches

from truespec.benchmark import bundled
from truespec.benchmark.task import Task
from truespec.domains.context import check_context
from truespec.domains.registry import DOMAINS, load
from truespec.verdict import TruespecError, Undecided, UsageError

_BUNDLED = re.compile(r"bundled(?P<variants>\+variants(?::(?P<seed>\d+))?)?")


def check_domains(names: Iterable[str]) -> None:
    """`UsageError` for a name that is no domain, with the nearest one."""
    for name in names:
        if name not in DOMAINS:
            near = get_close_matches(name, DOMAINS, 1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise UsageError(f"there is no domain {name!r}: {hint}there are {', '.join(sorted(DOMAINS))}")


def bundled_tasks(domains: Iterable[str] = (), *, variants: bool = False, seed: int = 0) -> list[Task]:
    """The tasks that come with the package, with what their names stand for in `extra`.

    With `variants`, also those that the seed draws from the templates.
    """
    wanted = tuple(domains)
    check_domains(wanted)
    wanted = wanted or tuple(name for name in bundled.domains() if name in DOMAINS)
    return [
        replace(entry.task, extra={**entry.task.extra, "meanings": dict(entry.meanings)})
        for name in wanted
        for entry in bundled.tasks(name, variants=variants, seed=seed)
    ]


def named_tasks(name: str, domains: Iterable[str] = ()) -> list[Task] | None:
    """`bundled`, `bundled+variants` or `bundled+variants:SEED`; None where the name is a file's."""
    found = _BUNDLED.fullmatch(name)
    if found is None:
        return None
    return bundled_tasks(domains, variants=bool(found["variants"]), seed=int(found["seed"] or 0))


def choose(
    tasks: Sequence[Task], domains: Sequence[str], limit: int | None, tags: Sequence[str] = ()
) -> list[Task]:
    """The tasks of these domains that have all of these tags, the first `limit` of each domain.

    `UsageError` for a tag that no task has, and where no task is left.
    """
    check_domains(domains)
    _check_tags(tasks, tags)
    for task in tasks:
        if task.domain not in DOMAINS:
            raise UsageError(f"task {task.id!r}: no verifier for the domain {task.domain!r}")
    chosen: list[Task] = []
    seen: dict[str, int] = {}
    for task in tasks:
        if (domains and task.domain not in domains) or not set(tags) <= set(task.tags):
            continue
        seen[task.domain] = seen.get(task.domain, 0) + 1
        if limit is None or seen[task.domain] <= limit:
            chosen.append(task)
    if not chosen:
        there = ", ".join(dict.fromkeys(task.domain for task in tasks)) or "none at all"
        tagged = f" tagged {' and '.join(tags)}" if tags else ""
        wanted = f"{', '.join(domains) or 'any domain'}{tagged}"
        raise UsageError(f"no task of {wanted}: there are tasks of {there}")
    return chosen


def check_oracles(tasks: Sequence[Task], where: str) -> None:
    """`UsageError` where references or contexts cannot be read: no answer to such a task can be right.

    `where` names the file. References are read, not run: what only an engine finds is left to
    `bench certify`.
    """
    broken: list[str] = []
    for task in tasks:
        domain = load(task.domain)
        try:
            check_context(task.domain, task.context)
            domain.parse(task.oracle, domain.read_context(task.context, task.oracle))
        except Undecided:
            continue  # outside what the verifier reads, and no mistake
        except TruespecError as error:
            broken.append(f"{task.id}: {str(error).splitlines()[0]}")
    if broken:
        raise UsageError(
            f"{where}: {len(broken)} of {len(tasks)} tasks have a reference that cannot be read, the first "
            f"{broken[0]}; no model was asked. 'truespec bench certify --tasks {where}' names all of them"
        )


def _check_tags(tasks: Sequence[Task], tags: Sequence[str]) -> None:
    known = {tag for task in tasks for tag in task.tags}
    for tag in tags:
        if tag not in known:
            near = get_close_matches(tag, known, 3)
            hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "no tag is like it"
            raise UsageError(f"no task has the tag {tag!r}: {hint}")
