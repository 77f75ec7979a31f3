"""`truespec trace accept`: write the violations of a run into a baseline."""

from __future__ import annotations

from pathlib import Path

import click

from truespec.cli.trace_options import artifacts_of
from truespec.verdict import UsageError


@click.command()
@click.argument("run", type=click.Path(exists=True, path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="The baseline; where it exists, entries are added.",
)
@click.option("--rule", "rules", multiple=True, help="Only violations of this rule; repeatable.")
@click.option("--reason", default="", help="Why they are accepted; stands in each new entry.")
def accept(run: Path, output: Path, rules: tuple[str, ...], reason: str) -> None:
    """Accept the violations of a run, so that later checks fail on new ones only.

    RUN is what `trace check -o` has written. `trace check --baseline FILE` then marks the accepted
    violations, and --fail-on and JUnit count the others alone. Scores do not change.

    Exit code: 0, 2 for a wrong call.
    """
    from truespec.compliance.baseline import Baseline, read_baseline
    from truespec.executors.artifact_file import write_whole

    artifacts = artifacts_of(run)
    known = {rule["id"] for artifact in artifacts for rule in artifact["rules"]}
    if unknown := sorted(set(rules) - known):
        raise UsageError(f"--rule {unknown[0]}: the run has no such rule; it has {', '.join(sorted(known))}")
    baseline = read_baseline(output) if output.exists() else Baseline()
    new = baseline.accept(artifacts, rules, reason)
    write_whole(output, baseline.text())
    click.echo(f"{output}: {len(baseline.entries)} accepted violations, {new} of them new")
