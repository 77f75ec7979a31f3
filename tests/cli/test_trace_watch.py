"""`truespec trace watch`: files that grow, OpenTelemetry's own exporter, restarts, a webhook."""

from __future__ import annotations

import errno
import gzip
import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import IO, Any

import pytest
from click.testing import CliRunner

from truespec.cli.main import truespec
from truespec.executors import webhook
from truespec.executors.watch import Breach, Follower, Watcher
from truespec.rules.language import load_rules
from truespec.traces.files import Problem, TraceFile
from truespec.verdict import UsageError

RULES = """
- {id: ask-first, text: Ask before you book., severity: high, formal: {template: precedence,
   a: {message: user, text: {words: ["yes"]}}, b: {call: book}}}
- {id: say-bye, text: Say goodbye., formal: {template: existence,
   a: {message: assistant, text: {words: ["bye"]}}}}
"""
USER = {"role": "user", "content": "Book a seat."}
BOOK = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "book", "arguments": '{"seat": 3}'}}
    ],
}
DONE = {"role": "tool", "tool_call_id": "c1", "content": "booked"}
BYE = {"role": "assistant", "content": "Booked. Bye!"}


def conversation(*messages: dict[str, Any]) -> str:
    return json.dumps({"id": "t1", "messages": list(messages)})


class Seen:
    """A watcher over one file, and what it told."""

    def __init__(self, path: Path, told: set[Any] | None = None) -> None:
        self.breaches: list[Breach] = []
        self.problems: list[Problem] = []
        self.artifacts: list[dict[str, Any]] = []
        rules = tuple(load_rules(RULES))
        self.watcher = Watcher(rules, self.breaches.append, self.artifacts.append, reported=told or set())
        self.follower = Follower((path,), self.watcher, self.problems.append)

    def names(self) -> list[tuple[str, int, bool]]:
        return [(b.violation.rule_id, b.violation.message_index, b.ended) for b in self.breaches]


def test_a_file_that_cannot_be_read_is_told_and_the_watch_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stuck(file: TraceFile) -> IO[bytes]:
        raise OSError(errno.EIO, "Input/output error")

    path = tmp_path / "t.jsonl"
    path.write_text(conversation(USER) + "\n")
    seen = Seen(path)
    with monkeypatch.context() as patched:
        patched.setattr(TraceFile, "open", stuck)
        seen.follower.look()
    seen.follower.complain()
    assert [problem.message.partition(":")[0] for problem in seen.problems] == ["cannot be read"]
    path.write_text(conversation(USER, BOOK) + "\n")
    seen.follower._files.clear()
    seen.follower.look()
    assert [name for name, _, _ in seen.names()] == ["ask-first"]


def write(path: Path, text: str) -> None:
    path.write_text(text)


def test_a_breach_is_told_when_it_is_certain_and_once(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    seen = Seen(path)
    assert seen.follower.look() == 0, "a file may come later"
    write(path, conversation(USER))
    seen.follower.look()
    assert seen.names() == []
    seen.follower._files[path].next = 0.0
    write(path, conversation(USER, BOOK))
    seen.follower.look()
    assert seen.names() == [("ask-first", 1, False)]
    seen.follower._files[path].next = 0.0
    write(path, conversation(USER, BOOK, DONE))
    seen.follower.look()
    assert len(seen.breaches) == 1
    assert [known.trace.id for known in seen.watcher.end(0.0)] == ["t1"]
    assert seen.names() == [("ask-first", 1, False), ("say-bye", 2, True)]
    (record,) = seen.artifacts
    assert {v["rule_id"] for result in record["results"] for v in result["violations"]} == {
        "ask-first",
        "say-bye",
    }


def test_conversations_of_two_files_are_told_apart(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write(tmp_path / name / "log.json", conversation(USER, BOOK))
    seen = Seen(tmp_path)
    seen.follower.look()
    assert seen.names() == [("ask-first", 1, False)] * 2
    assert len(seen.watcher.conversations) == 2


def test_what_earlier_messages_become_is_checked_anew(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    seen = Seen(path)
    write(path, conversation(USER, BOOK))
    seen.follower.look()
    seen.follower._files[path].next = 0.0
    write(path, conversation({"role": "user", "content": "Hi."}, USER, BOOK))
    seen.follower.look()
    assert seen.names() == [("ask-first", 1, False), ("ask-first", 2, False)]


def test_an_earlier_process_has_told_it_already(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    write(path, conversation(USER, BOOK, DONE, BYE))
    first = Seen(path)
    first.follower.look()
    again = Seen(path, {breach.mark for breach in first.breaches})
    again.follower.look()
    assert list(again.watcher.end(0.0))
    assert again.breaches == []


def test_damage_in_a_file_that_grows_is_told_when_it_stays(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    write(path, conversation(USER) + "\n" + conversation(USER)[:30])
    seen = Seen(path)
    seen.follower.look()
    assert seen.problems == []
    seen.follower.complain()
    assert seen.problems


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(truespec, ["trace", "watch", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_the_command_ends_when_all_is_over_and_fails_as_told(tmp_path: Path) -> None:
    rules, log, out = tmp_path / "rules.yml", tmp_path / "log.json", tmp_path / "out"
    rules.write_text(RULES)
    write(log, conversation(USER, BOOK, DONE, BYE))
    usual = (
        "--follow",
        str(log),
        "--rules",
        str(rules),
        "-o",
        str(out),
        "--idle",
        "0.1",
        "--interval",
        "0.05",
    )
    code, told, end = run(*usual, "--until-idle", "--json", "--fail-on", "high")
    assert code == 1
    assert [json.loads(line)["rule_id"] for line in told.splitlines()] == ["ask-first"]
    assert "1 conversations over; violations: 1 high" in end
    assert len((out / "artifacts.jsonl").read_text().splitlines()) == 1
    code, told, end = run(*usual, "--until-idle", "--fail-on", "high")
    assert (code, told) == (1, ""), "nothing is told twice, and what is there counts"
    assert "1 high, 1 told before" in end
    assert len((out / "artifacts.jsonl").read_text().splitlines()) == 1, "nor written twice"


def watched(tmp_path: Path, *more: str, log: str, rules: str) -> tuple[int, str, str]:
    (tmp_path / "rules.yml").write_text(rules)
    write(tmp_path / "log.json", log)
    files = ("--follow", str(tmp_path / "log.json"), "--rules", str(tmp_path / "rules.yml"))
    pace = ("--idle", "0.1", "--interval", "0.05", "--until-idle")
    return run(*files, "-o", str(tmp_path / "out"), *pace, *more)


WRITES = "- {id: writes, text: t, %s formal: {template: absence, a: {call: {type: write}}}}"


@pytest.mark.parametrize(
    ("more", "options", "code"),
    [("", [], 0), ("", ["--fail-on-skipped"], 1), ("required: true,", [], 1), ("required: false,", [], 0)],
)
def test_what_could_not_be_evaluated_is_told_and_fails(
    tmp_path: Path, more: str, options: list[str], code: int
) -> None:
    found, _, said = watched(tmp_path, *options, log=conversation(USER, BOOK), rules=WRITES % more)
    assert found == code
    assert "not evaluated: writes: nobody says which tools read and which write" in said
    assert ", 1 rules not evaluated" in said


def test_nothing_hidden_is_told_or_written(tmp_path: Path) -> None:
    call = {"name": "book", "arguments": json.dumps({"pin": "0815-x", "note": "n" * 190, "c": CARD})}
    log = conversation(
        USER,
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "1", "type": "function", "function": call}],
        },
        {"role": "tool", "tool_call_id": "1", "content": "Error: " + "x" * 60 + " " + CARD},
    )
    rules = "- {id: r, text: t, formal: {template: absence, a: {call: book}}}"
    _, told, _ = watched(
        tmp_path, "--json", "--redact", "all", "--redact-field", "**.pin", log=log, rules=rules
    )
    out = tmp_path / "out"
    everything = told + "".join((out / name).read_text() for name in ("violations.jsonl", "artifacts.jsonl"))
    assert "<field-1>" in told
    assert "0815" not in everything
    assert CARD[:6] not in everything


CARD = "4111 1111 1111 1111"


def test_no_character_ends_a_watch(tmp_path: Path) -> None:
    odd = "\ud800 \u0000 \u202e \u2028"
    rules = "- {id: r, text: t, formal: {template: absence, a: {message: user}}}"
    for more in ((), ("--json",)):
        code, told, _ = watched(
            tmp_path, *more, log=conversation({"role": "user", "content": odd}), rules=rules
        )
        assert code == 0
        assert told.count('"r"' if more else "r: t") == 1
        (line,) = (tmp_path / "out" / "violations.jsonl").read_text().splitlines()
        assert json.loads(line)["quote"] == odd
        (tmp_path / "out" / "violations.jsonl").unlink()


def test_lines_that_a_kill_has_cut_cost_nothing_else(tmp_path: Path) -> None:
    log = conversation({"role": "user", "content": "a\u2028b"}, BOOK)
    rules = "- {id: r, text: t, formal: {template: absence, a: {message: user}}}"
    out = tmp_path / "out"
    assert watched(tmp_path, log=log, rules=rules)[1].count("r: t") == 1
    with (out / "violations.jsonl").open("a") as file:
        file.write('{"trace_id": "t"}\n{"trace_id": "t')
    assert watched(tmp_path, log=log, rules=rules)[1] == ""
    more = conversation({"role": "user", "content": "a\u2028b"}, BOOK, {"role": "user", "content": "c"})
    assert watched(tmp_path, log=more, rules=rules)[1].count("r: t") == 1
    lines = (out / "violations.jsonl").read_text().split("\n")
    assert [json.loads(line)["message_index"] for line in (lines[0], lines[3])] == [0, 2]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--listen", "nowhere"), "expected PORT or HOST:PORT"),
        (("--listen", "0.0.0.0:0"), "open to others"),
        (("--listen", "0", "--redact-field", "a.b"), "stores parts"),
        (("--follow", "x", "--webhook", "ftp://x"), "begins with http"),
    ],
)
def test_wrong_calls_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], said: str
) -> None:
    monkeypatch.delenv("TRUESPEC_TOKEN", raising=False)
    result = CliRunner().invoke(truespec, ["trace", "watch", *arguments, "-o", str(tmp_path / "out")])
    assert isinstance(result.exception, UsageError)
    assert said in str(result.exception)


@pytest.fixture
def posted() -> Iterator[tuple[str, list[dict[str, Any]], list[int]]]:
    """A webhook: its address, what it got, and the statuses it gives before 200."""
    found: list[dict[str, Any]] = []
    refusals: list[int] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            status = refusals.pop(0) if refusals else 200
            if status == 200:
                found.extend(json.loads(body)["violations"])
            self.send_response(status)
            if status == 302:
                self.send_header("location", "/elsewhere")
            self.end_headers()

        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/", found, refusals
    server.shutdown()
    thread.join(10)


def test_a_webhook_gets_violations_and_what_it_refuses_is_kept(
    tmp_path: Path, posted: tuple[str, list[dict[str, Any]], list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, found, refusals = posted
    monkeypatch.setattr(webhook, "FIRST_PAUSE", 0.01)
    kept, notes = tmp_path / "kept.jsonl", list[str]()
    refusals += [500] * webhook.TRIES
    first = webhook.Webhook(address, kept, notes.append)
    first.send({"rule_id": "a"})
    first.close()
    assert (found, first.lost) == ([], 1)
    assert "1 violations not delivered" in notes[0]
    refusals += [500]
    again = webhook.Webhook(address, kept, notes.append)
    again.send({"rule_id": "b"})
    again.close()
    assert [record["rule_id"] for record in found] == ["a", "b"]
    assert not kept.exists()


def test_what_a_webhook_refused_is_posted_once_it_takes_again(
    tmp_path: Path, posted: tuple[str, list[dict[str, Any]], list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, found, refusals = posted
    monkeypatch.setattr(webhook, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(webhook, "BATCH", 1)
    refusals += [500] * webhook.TRIES
    hook = webhook.Webhook(address, tmp_path / "kept.jsonl", lambda note: None)
    for name in ("a", "b", "c"):
        hook.send({"rule_id": name})
    hook.close()
    assert [record["rule_id"] for record in found] == ["b", "a", "c"]
    assert (hook.lost, (tmp_path / "kept.jsonl").exists()) == (0, False)


def test_a_webhook_loses_nothing_when_it_is_killed(
    tmp_path: Path, posted: tuple[str, list[dict[str, Any]], list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, found, refusals = posted
    monkeypatch.setattr(webhook, "FIRST_PAUSE", 0.01)
    kept, notes = tmp_path / "kept.jsonl", list[str]()
    refusals += [500] * webhook.TRIES
    killed = webhook.Webhook(address, kept, notes.append)
    killed.send({"rule_id": "a"})
    assert json.loads(kept.read_text()) == {"rule_id": "a"}, "written down before it is posted"
    killed.close()
    kept.write_text('{"rule_id": "a"}\n{"rule_id": "b"}\n{"rule')
    again = webhook.Webhook(address, kept, notes.append)
    again.close()
    assert [record["rule_id"] for record in found] == ["a", "b"]
    assert any("no JSON is left out" in note for note in notes)


def test_a_webhook_that_is_elsewhere_has_taken_nothing(
    tmp_path: Path, posted: tuple[str, list[dict[str, Any]], list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, found, refusals = posted
    monkeypatch.setattr(webhook, "FIRST_PAUSE", 0.01)
    notes = list[str]()
    refusals += [302] * webhook.TRIES
    hook = webhook.Webhook(f"{address}secret-path", tmp_path / "kept.jsonl", notes.append)
    hook.send({"rule_id": "a"})
    hook.close()
    assert (found, hook.lost) == ([], 1)
    assert "secret-path" not in notes[0]


@pytest.fixture
def receiver(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A receiver's address, and its spool."""
    pytest.importorskip("starlette")
    from truespec.cli.serve import listening_on
    from truespec.cli.web import Background
    from truespec.serve.otlp import Spool, application

    spool = Spool(tmp_path / "spool")
    listening = listening_on("127.0.0.1", 0)
    app = application(spool, dict, list, hosts=frozenset({"127.0.0.1"}), token=None)
    with Background(app, listening):
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", spool.folder


def post(address: str, body: bytes, **headers: str) -> tuple[int, bytes]:
    request = urllib.request.Request(
        f"{address}/v1/traces", body, {name.replace("_", "-"): value for name, value in headers.items()}
    )
    for _ in range(100):
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()
        except OSError:
            time.sleep(0.05)
    raise AssertionError("the receiver does not answer")


def test_the_exporter_of_opentelemetry_is_understood(receiver: tuple[str, Path], tmp_path: Path) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    from opentelemetry.exporter.otlp.proto.http import Compression
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    address, folder = receiver
    provider = TracerProvider()
    exporter = OTLPSpanExporter(f"{address}/v1/traces", compression=Compression.Gzip)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("agent")
    asked = [{"role": "user", "parts": [{"type": "text", "content": "Book a seat."}]}]
    call = {"type": "tool_call", "id": "c1", "name": "book", "arguments": {"seat": 3}}
    with tracer.start_as_current_span("chat m") as span:
        span.set_attribute("gen_ai.operation.name", "chat")
        span.set_attribute("gen_ai.request.model", "m")
        span.set_attribute("gen_ai.conversation.id", "talk 1/../x")
        span.set_attribute("gen_ai.input.messages", json.dumps(asked))
        span.set_attribute("gen_ai.output.messages", json.dumps([{"role": "assistant", "parts": [call]}]))
    provider.shutdown()
    (path,) = folder.glob("*.jsonl")
    assert path.parent == folder, "an identifier is no path"
    seen = Seen(folder)
    seen.follower.look()
    assert [name for name, _, _ in seen.names()] == ["ask-first"]
    (known,) = seen.watcher.conversations.values()
    assert known.trace.messages[1].calls[0].arguments == {"seat": 3}


def test_exports_that_cannot_be_read_are_refused_with_a_reason(receiver: tuple[str, Path]) -> None:
    address, folder = receiver
    json_type = {"content_type": "application/json"}
    assert post(address, b"{", **json_type)[0] == 400
    assert post(address, b"[]", **json_type)[0] == 400
    assert post(address, b"\xff\xff", content_type="application/x-protobuf")[0] == 400
    assert post(address, b"{}", content_type="text/plain")[0] == 415
    assert post(address, b"no gzip", content_encoding="gzip", **json_type)[0] == 400
    assert post(address, gzip.compress(bytes(64 << 20)), content_encoding="gzip", **json_type)[0] == 400
    body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "x"}]}]}]}).encode()
    status, answer = post(address, body, **json_type)
    assert (status, json.loads(answer)["partialSuccess"]["rejectedSpans"]) == (200, "1")
    assert not list(folder.glob("*.jsonl"))
    odd = {"traceId": "ab", "spanId": "1", "name": "\ud800"}
    odd_body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [odd]}]}]}).encode()
    assert post(address, odd_body, **json_type)[0] == 200
    assert [path.name for path in folder.glob("*.jsonl")] == ["ab.jsonl"]


def test_a_conversation_that_is_over_is_put_away_and_comes_back(tmp_path: Path) -> None:
    pytest.importorskip("starlette")
    from truespec.serve.otlp import Spool
    from truespec.traces.redact import Hiding

    spool = Spool(tmp_path, Hiding(("email", "card", "secret")))
    span = {
        "traceId": "ab",
        "spanId": "1",
        "name": "write to a@example.org",
        "startTimeUnixNano": "4111111111111111",
        "attributes": [{"key": "db.password", "value": {"stringValue": "hunter"}}],
    }
    export = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    assert spool.add(export) == 0
    path = tmp_path / "ab.jsonl"
    assert "a@example.org" not in path.read_text()
    assert "hunter" not in path.read_text()
    assert "4111111111111111" in path.read_text(), "a time is no card number"
    spool.finish(path)
    assert not path.exists()
    spool.add(export)
    assert len(path.read_text().splitlines()) == 2


def test_a_conversation_that_is_over_is_over_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("starlette")
    from truespec.serve.otlp import Spool

    call = {"type": "tool_call", "id": "c1", "name": "book", "arguments": {"seat": 3}}
    said = json.dumps([{"role": "assistant", "parts": [call]}])
    values = {"gen_ai.operation.name": "chat", "gen_ai.output.messages": said}
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in values.items()]
    span = {"traceId": "ab" * 16, "spanId": "ab" * 8, "name": "chat m", "attributes": attributes}
    out = tmp_path / "out"
    Spool(out / "spool").add({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})
    (tmp_path / "rules.yml").write_text(RULES)
    usual = ("--rules", str(tmp_path / "rules.yml"), "-o", str(out), "--idle", "0.1", "--interval", "0.05")
    follow = ("--follow", str(tmp_path), "--until-idle")  # what it writes itself lies below, too
    for told_then in (2, 0):
        code, told, said = run(*usual, *follow, "--listen", "127.0.0.1:0", "--json")
        assert code == 0, said
        assert len(told.splitlines()) == told_then, "nothing is told twice, after a restart neither"
    assert [path.name for path in (out / "spool" / "done").iterdir()] == ["ab" * 16 + ".jsonl"]
    assert len((out / "artifacts.jsonl").read_text().splitlines()) == 1
