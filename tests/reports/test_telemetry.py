"""Verdicts and violations as spans: with the SDK's own exporter, and over HTTP to a collector."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import needs
from truespec import verify
from truespec.cli.main import truespec
from truespec.reports.telemetry import LONGEST, emit_artifact, emit_verdict

ARTIFACT: dict[str, Any] = {
    "trace_id": "t",
    "task_id": None,
    "domain": "shop",
    "model": "m",
    "aggregate": {"score": 40.0},
    "checks": [{"rule_id": "r", "status": "fail"}, {"rule_id": "s", "status": "not_evaluated"}],
    "results": [
        {
            "violations": [
                {
                    "rule_id": "r",
                    "kind": "output",
                    "severity": "high",
                    "effect": "took_effect",
                    "message_index": 3,
                    "quote": "q" * (LONGEST + 7),
                }
            ]
        }
    ],
}


@pytest.fixture
def tracing() -> Iterator[tuple[Any, Any]]:
    needs.module("opentelemetry.sdk")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    yield provider.get_tracer("test"), exporter
    provider.shutdown()


def test_a_verdict_is_a_span(tracing: tuple[Any, Any]) -> None:
    tracer, exporter = tracing
    verdict = verify("regex", oracle="a*", candidate="a+", timeout=60.0)
    emit_verdict(tracer, verdict, texts=True, now=lambda: 5_000_000_000)
    emit_verdict(tracer, {**verdict.to_json(), "id": "x", "seconds": 2.0}, now=lambda: 5_000_000_000)
    first, second = exporter.get_finished_spans()
    assert first.attributes["truespec.answer"] == "refuted"
    assert first.attributes["truespec.relation"] == "stronger"
    (event,) = first.events
    assert json.loads(event.attributes["truespec.counterexample"]) == {"string": ""}
    assert (second.attributes["truespec.id"], second.events) == ("x", ())
    assert (second.start_time, second.end_time) == (3_000_000_000, 5_000_000_000)
    assert second.status.is_unset


def test_an_unknown_answer_is_an_error_with_its_code(tracing: tuple[Any, Any]) -> None:
    tracer, exporter = tracing
    emit_verdict(tracer, verify("regex", oracle="a", candidate=r"(a)\1", timeout=60.0))
    (span,) = exporter.get_finished_spans()
    assert (span.status.status_code.name, span.status.description) == ("ERROR", "unsupported")
    assert "truespec.reason.detail" not in span.attributes


def test_violations_are_events_and_texts_are_sent_on_request_only(tracing: tuple[Any, Any]) -> None:
    tracer, exporter = tracing
    assert emit_artifact(tracer, ARTIFACT) == emit_artifact(tracer, ARTIFACT, texts=True) == 1
    first, second = exporter.get_finished_spans()
    assert first.attributes["truespec.violations"] == first.attributes["truespec.not_evaluated"] == 1
    assert (first.attributes["truespec.score"], first.attributes["gen_ai.request.model"]) == (40.0, "m")
    assert "truespec.task_id" not in first.attributes
    assert first.events[0].attributes["truespec.severity"] == "high"
    assert first.events[0].attributes["truespec.accepted"] is False
    assert "truespec.quote" not in first.events[0].attributes
    assert second.events[0].attributes["truespec.quote"].endswith("q… 7 more characters")


@pytest.fixture
def collector() -> Iterator[tuple[str, list[Any]]]:
    needs.module("opentelemetry.exporter.otlp.proto.http")
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    got: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            wanted = self.path == "/v1/traces"
            if wanted:
                request = ExportTraceServiceRequest.FromString(body)
                got.extend(s for r in request.resource_spans for p in r.scope_spans for s in p.spans)
            self.send_response(200 if wanted else 400)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", got
    server.shutdown()
    thread.join(20)


def test_recorded_files_reach_a_collector(collector: tuple[str, list[Any]], tmp_path: Path) -> None:
    address, got = collector
    verdict = {"id": "v", **verify("regex", oracle="a", candidate="a", timeout=60.0).to_json()}
    (tmp_path / "v.jsonl").write_text(json.dumps(verdict) + "\n" + json.dumps(ARTIFACT) + "\n")
    command = ["otel", str(tmp_path / "v.jsonl"), "--endpoint"]
    result = CliRunner().invoke(truespec, [*command, f"{address}/v1/traces"])
    assert result.exit_code == 0, result.output
    assert result.output == f"2 spans -> {address}/v1/traces\n"
    assert [span.name for span in got] == ["truespec.verify", "truespec.trace_check"]
    assert [event.name for event in got[1].events] == ["truespec.violation"]
    result = CliRunner().invoke(truespec, [*command, f"{address}/elsewhere"])
    assert result.exit_code == 1
    assert "2 spans were not taken" in result.output


def test_lines_that_are_no_records_are_named_and_the_others_go_on(
    collector: tuple[str, list[Any]], tmp_path: Path
) -> None:
    address, got = collector
    (tmp_path / "v.jsonl").write_text('{\n[1]\n\n{"id": 1}\n' + json.dumps(ARTIFACT) + "\n")
    command = ["otel", str(tmp_path / "v.jsonl"), "--endpoint", f"{address}/v1/traces"]
    result = CliRunner().invoke(truespec, command)
    assert result.exit_code == 1
    assert [f"line {n}" in result.output for n in (1, 2, 3, 4, 5)] == [True, True, False, True, False]
    assert len(got) == 1
