"""`truespec otel`: recorded verdicts and violations to an OpenTelemetry collector."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from truespec.cli.common import echo
from truespec.compliance import RULE_SET
from truespec.untrusted.nesting import check_json
from truespec.verdict import UsageError

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

SECONDS = 10
"""How long the collector may take to answer."""


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--endpoint",
    default="http://127.0.0.1:4318/v1/traces",
    show_default=True,
    help="Where the collector takes spans over HTTP.",
)
@click.option(
    "--texts/--no-texts",
    default=False,
    show_default=True,
    help="Send counterexamples, details of reasons and quotes of traces too.",
)
def otel(files: tuple[Path, ...], endpoint: str, texts: bool) -> None:
    """Send recorded verdicts and violations to an OpenTelemetry collector, as spans and events.

    FILES are verdicts of 'truespec batch' or artifacts of 'truespec trace check', as JSON Lines. A verdict is
    a span 'truespec.verify', a checked trace a span 'truespec.trace_check' with an event for each violation.
    Records do not say when they were made: a span ends when it is sent. Headers such as keys are read from
    OTEL_EXPORTER_OTLP_HEADERS. Needs the extra: pip install 'truespec[otel]'.

    Exit code: 0 where the collector took all spans, 1 where it did not, or a line held no record, 2 for a
    wrong call.
    """
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace.export import SpanExportResult
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "opentelemetry":
            raise
        raise UsageError("truespec otel needs OpenTelemetry: pip install 'truespec[otel]'") from None
    from truespec.reports.telemetry import send

    if urlsplit(endpoint).scheme not in ("http", "https") or not urlsplit(endpoint).hostname:
        raise UsageError(f"--endpoint {endpoint!r}: expected an address that begins with http:// or https://")
    exporter = OTLPSpanExporter(endpoint=endpoint, timeout=SECONDS)
    broken: list[str] = []

    def export(spans: Sequence[ReadableSpan]) -> bool:
        return exporter.export(spans) is SpanExportResult.SUCCESS

    try:
        took, refused = send((one for path in files for one in _records(path, broken)), export, texts=texts)
    finally:
        exporter.shutdown()  # type: ignore[no-untyped-call]
    for place in broken:
        click.echo(place, err=True)
    echo(f"{took} spans -> {endpoint}")
    if refused:
        click.echo(f"{refused} spans were not taken: is a collector listening there?", err=True)
    if refused or broken:
        raise SystemExit(1)


def _records(path: Path, broken: list[str]) -> Iterator[dict[str, Any]]:
    """The verdicts and artifacts of a file; the place of any other line goes to `broken`."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    with file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                check_json(line)
                record = json.loads(line)
            except ValueError as error:
                broken.append(f"{path}, line {number}: no JSON: {error}")
                continue
            if isinstance(record, dict) and RULE_SET in record:
                continue
            is_artifact = isinstance(record, dict) and {"trace_id", "results"} <= record.keys()
            if is_artifact or (isinstance(record, dict) and {"domain", "answer"} <= record.keys()):
                yield record
            else:
                broken.append(f"{path}, line {number}: neither a verdict nor the artifact of a trace")
