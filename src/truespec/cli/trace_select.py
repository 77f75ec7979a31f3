"""`truespec trace select`: choose traces of a labelled corpus."""

from __future__ import annotations

from pathlib import Path

import click

from truespec.cli.trace_options import ProblemReport

_RUN = click.Path(exists=True, path_type=Path)


@click.command()
@click.argument("paths", nargs=-1, required=True, type=_RUN)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="JSONL of the chosen traces.",
)
@click.option(
    "--each", default=50, show_default=True, help="Traces of each model in each environment, at most."
)
@click.option("--per-task", default=2, show_default=True, help="Of those, traces of one task at most.")
@click.option("--solved", default=0.35, show_default=True, help="Share of perfect outcomes.")
@click.option(
    "--least",
    default=20,
    show_default=True,
    help="Where failures are few, perfect outcomes fill up to so many traces.",
)
@click.option("--seed", default=0, show_default=True, help="Decides among equals.")
def select(
    paths: tuple[Path, ...], output: Path, each: int, per_task: int, solved: float, least: int, seed: int
) -> None:
    """Choose traces as the paper does: few per task, mostly failures, from short to long.

    PATHS are files or folders of traces in any supported format. The same seed chooses the same traces.
    Traces without an outcome are not chosen. Exit 0, or 1 when none was.
    """
    from truespec.analysis.selection import Candidate, Wish, select
    from truespec.traces.files import Problem
    from truespec.traces.importers.registry import each_once, files_below, named_twice, nothing_in, read
    from truespec.traces.record import to_line
    from truespec.untrusted.outputs import check_apart
    from truespec.untrusted.unpack import Budget

    check_apart(output, paths)
    wish = Wish(each, per_task, solved, least, seed)
    report, budget = ProblemReport(paths), Budget()
    candidates: list[Candidate[tuple[str, int]]] = []
    twice: list[Path] = []
    for path in each_once(files_below(paths, output, lambda one: report.show(nothing_in(one))), twice):
        for number, item in enumerate(read(path, budget=budget)):
            if isinstance(item, Problem):
                report.show(item)
                continue
            reward = item.outcome.reward
            known = None if reward is None else reward >= 1.0
            model, domain = item.model or "–", item.domain or "–"
            key = (str(path), number)
            candidates.append(
                Candidate(key, model, domain, str(item.task_id or item.id), known, len(item.messages))
            )
    for again in twice:
        report.show(named_twice(again))
    report.end()
    chosen = set(select(candidates, wish))
    wanted = {one.key[0] for one in candidates if one.key in chosen}
    with output.open("w", encoding="utf-8") as stream:
        for path in each_once(files_below(paths, output), []):
            if str(path) not in wanted:
                continue
            for number, item in enumerate(read(path, budget=budget)):
                if not isinstance(item, Problem) and (str(path), number) in chosen:
                    stream.write(to_line(item) + "\n")
    groups: dict[tuple[str, str], list[Candidate[tuple[str, int]]]] = {}
    for one in candidates:
        if one.key in chosen:
            groups.setdefault((one.domain, one.model), []).append(one)
    for (domain, model), mine in sorted(groups.items()):
        share = sum(bool(one.solved) for one in mine)
        click.echo(f"{domain}, {model}: {len(mine)} traces, {share} with a perfect outcome")
    click.echo(f"{len(chosen)} of {len(candidates)} traces")
    raise SystemExit(0 if chosen else 1)
