"""`truespec trace watch`: conversations checked while they grow."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from truespec.cli.grouped import grouped
from truespec.cli.trace_check import TYPES_OPTION
from truespec.cli.trace_options import (
    FORMAT_OPTION,
    JOIN_OPTIONS,
    REDACT_OPTIONS,
    RULE_OPTIONS,
    RedactChoice,
)
from truespec.executors.trace_check import Joining, RuleChoice
from truespec.executors.webhook import appended, lines_of
from truespec.reports.visible import in_line
from truespec.rules.rule import SEVERITIES
from truespec.verdict import UsageError

if TYPE_CHECKING:
    from truespec.executors.watch import Breach, Follower, Key, Watcher
    from truespec.executors.webhook import Webhook
    from truespec.serve.otlp import Spool
    from truespec.traces.files import Problem
    from truespec.traces.redact import Hiding, Redactor
    from truespec.traces.trace import Trace

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
TOKEN = "TRUESPEC_TOKEN"
DEFAULT_LISTEN = "127.0.0.1:4318"
"""OpenTelemetry's own port for traces over HTTP."""
SHOWN = 1000
"""Violations that can be asked for by HTTP."""


@click.command()
@click.option(
    "--follow",
    "paths",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A file or folder of traces that grows; repeatable. It need not exist yet.",
)
@click.option(
    "--listen",
    metavar="[HOST:]PORT",
    help=f"Receive OpenTelemetry's traces over HTTP.  [default: {DEFAULT_LISTEN} without --follow]",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("watch"),
    show_default=True,
    help="Folder of violations.jsonl, artifacts.jsonl and the spool of what was received.",
)
@grouped("rules", RuleChoice, *RULE_OPTIONS)
@FORMAT_OPTION
@click.option(
    "--idle",
    type=click.FloatRange(0.1),
    default=60.0,
    show_default=True,
    help="A conversation that has not grown for so many seconds is over.",
)
@click.option(
    "--interval", type=click.FloatRange(0.05), default=1.0, show_default=True, help="Seconds between looks."
)
@click.option("--webhook", metavar="URL", help="Post violations there; what is not taken is kept.")
@click.option(
    "--fail-on",
    type=click.Choice(["low", "medium", "high", "critical"]),
    help="Exit 1 at the end after such a violation or worse.",
)
@click.option(
    "--fail-on-skipped", is_flag=True, help="Exit 1 at the end where a rule could not be evaluated."
)
@click.option("--until-idle", is_flag=True, help="End when every conversation is over, as in CI.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per violation on standard output.")
@grouped("redact", RedactChoice, *REDACT_OPTIONS)
@grouped("joining", Joining, *JOIN_OPTIONS, TYPES_OPTION)
def watch(
    paths: tuple[Path, ...],
    listen: str | None,
    output: Path,
    rules: RuleChoice,
    form: str | None,
    idle: float,
    interval: float,
    webhook: str | None,
    fail_on: str | None,
    fail_on_skipped: bool,
    until_idle: bool,
    as_json: bool,
    redact: RedactChoice,
    joining: Joining,
) -> None:
    """Check conversations while they grow, from files or from OpenTelemetry.

    A violation is printed and written down as soon as it is certain. What is certain at the end alone, such
    as an act still owed, is reported with the artifact when the conversation is over. Without --rules
    and --pack, all built-in packs are checked. What is received is on disk before it is acknowledged: a
    restart with the same folder loses nothing and tells nothing twice. The receiver listens on this machine
    alone unless --listen names a host; then TRUESPEC_TOKEN has to hold a token, which exporters send as
    'Authorization: Bearer TOKEN'. GET /violations and GET /conversations there say what was found. With
    --redact, texts are checked as they are received by files, and as they are stored by --listen.

    Exit code: 0 after Ctrl-C or --until-idle, 1 where --fail-on or --fail-on-skipped says so or a rule that
    says 'required: true' could not be evaluated, 2 for a wrong call.
    """
    hiding = redact.hiding()
    listen = listen or (None if paths else DEFAULT_LISTEN)
    if hiding.fields and listen:
        raise UsageError("--redact-field needs whole conversations, and --listen stores parts; use --redact")
    session = _Session(output, rules, as_json, hiding)
    with ExitStack() as closing:
        closing.callback(session.close)
        if webhook:
            session.post_to(webhook)
        if listen:
            closing.enter_context(session.receiver(listen))
        follower = session.follower((*paths, *session.spooled), form, joining)
        with suppress(KeyboardInterrupt):
            session.run(follower, interval, idle, until_idle)
        follower.complain()
    failing = SEVERITIES[SEVERITIES.index(fail_on) :] if fail_on else ()
    click.echo(session.summary(), err=True)
    skipped = session.tally.skipped(required=not fail_on_skipped)
    if skipped:
        click.echo(f"not evaluated, so the watch fails: {', '.join(skipped)}", err=True)
    broken = any(session.severities.get(name) for name in failing)
    raise SystemExit(1 if broken or skipped else 0)


class _Session:
    """One watch: what it writes, and whom it notifies."""

    def __init__(self, folder: Path, rules: RuleChoice, as_json: bool, hiding: Hiding) -> None:
        from truespec.compliance.run import Tally
        from truespec.executors.rulefiles import load_rule_files
        from truespec.executors.watch import Watcher, is_breach, marks_of

        packs = rules.packs or (() if rules.files else ("all",))
        loaded, _ = load_rule_files(rules.files, packs, rules.settings)
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.as_json, self.hiding = folder, as_json, hiding
        before = []
        for record in lines_of(folder / "violations.jsonl", _left_out):
            if is_breach(record):
                before.append(record)
            else:
                _left_out(folder / "violations.jsonl", json.dumps(record))
        self._violations = appended(folder / "violations.jsonl")
        self._written = {_digest(line) for line in _text_lines(folder / "artifacts.jsonl")}
        self._artifacts = appended(folder / "artifacts.jsonl")
        self.tally = Tally()
        self._redactors: dict[Key, Redactor] = {}
        self._skipped: set[tuple[str, str]] = set()
        self.recent: deque[dict[str, Any]] = deque(before[-SHOWN:], SHOWN)
        self.severities: dict[str, int] = {}
        self.webhook: Webhook | None = None
        self.spool: Spool | None = None
        self.ended = self.told = 0
        self.problems = 0
        self.watcher: Watcher = Watcher(
            tuple(loaded), self._tell, self._finished, reported=marks_of(before), again=self._known
        )
        if self.watcher.late:
            click.echo(f"checked at the end alone: {', '.join(self.watcher.late)}", err=True)
        semantic = [rule.id for rule in loaded if rule.formal is None]
        if semantic:
            click.echo(f"not checked, they need a judge: {', '.join(semantic)}", err=True)

    @property
    def spooled(self) -> tuple[Path, ...]:
        """The spool's folder, where there is one."""
        return (self.spool.folder,) if self.spool is not None else ()

    def follower(self, paths: tuple[Path, ...], form: str | None, joining: Joining) -> Follower:
        """What looks for changes in the files."""
        from truespec.executors.trace_input import joins_of
        from truespec.executors.watch import Follower

        joins = joins_of(joining.folder, joining.tools, joining.prompt, joining.types)
        apart = (self.folder,) if self.spool is None else (self.folder, self.spool.done)
        return Follower(paths, self.watcher, self._problem, form, joins, apart)

    def post_to(self, address: str) -> None:
        """Post violations to an address."""
        from truespec.executors.webhook import Webhook

        kept = self.folder / "undelivered.jsonl"
        self.webhook = Webhook(address, kept, lambda text: click.echo(text, err=True))

    def receiver(self, listen: str) -> Any:
        """Take OpenTelemetry's exports while the context lasts."""
        from truespec.cli.serve import listening_on

        host, colon, port = listen.rpartition(":")
        host = host if colon else "127.0.0.1"
        if not port.isdigit() or int(port) > 65535:
            raise UsageError(f"--listen {listen!r}: expected PORT or HOST:PORT")
        token = os.environ.get(TOKEN) or None
        if host not in LOOPBACK and token is None:
            raise UsageError(f"--listen {listen} is open to others: set {TOKEN}, which exporters then send")
        try:
            import_module("opentelemetry.proto.collector.trace.v1.trace_service_pb2")  # of each export
            from truespec.cli.web import Background
            from truespec.serve.otlp import Spool, application
        except ModuleNotFoundError as error:
            raise UsageError(f"--listen needs {error.name}: pip install 'truespec[watch]'") from None
        self.spool = Spool(self.folder / "spool", self.hiding)
        bound = listening_on(host, int(port))
        hosts = frozenset([*LOOPBACK, host.lower()])
        app = application(self.spool, self._state, lambda: list(self.recent), hosts=hosts, token=token)
        shown = bound.getsockname()[1]
        click.echo(f"receiving OpenTelemetry at http://{host}:{shown}/v1/traces  (Ctrl-C ends)", err=True)
        return Background(app, bound)

    def run(self, follower: Follower, interval: float, idle: float, until_idle: bool) -> None:
        """Look for changes until there are none, or for ever."""
        quiet = time.monotonic()
        while True:
            if follower.look():
                quiet = time.monotonic()
            for known in self.watcher.end(idle):
                self.ended += 1
                self._redactors.pop((known.trace.source.file, known.trace.id), None)
                path = Path(known.trace.source.file)
                if self.spool is not None and path.parent == self.spool.folder:
                    self.spool.finish(path)
                    self.watcher.forget(known)
            if until_idle and not self.watcher.open and time.monotonic() - quiet >= idle:
                return
            time.sleep(interval)

    def close(self) -> None:
        """Write and deliver what is left."""
        if self.webhook is not None:
            self.webhook.close()
        self._violations.close()
        self._artifacts.close()

    def summary(self) -> str:
        """What the watch amounts to, in one line."""
        counts = [
            f"{self.severities[name]} {name}" for name in reversed(SEVERITIES) if name in self.severities
        ]
        lost = self.webhook.lost if self.webhook is not None else 0
        further = (
            (self.told, "told before"),
            (len(self.tally.skipped()), "rules not evaluated"),
            (self.watcher.open, "conversations not over"),
            (lost, "violations not delivered"),
            (self.problems, "problems"),
        )
        rest = "".join(f", {number} {what}" for number, what in further if number)
        return f"{self.ended} conversations over; violations: {', '.join(counts) or 'none'}{rest}"

    def _tell(self, breach: Breach) -> None:
        record = breach.record()
        if self.hiding:
            record["quote"] = self._redactor(breach.trace).text(record["quote"])
        record["time"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        if self.webhook is not None:  # first: what is written down is not found again after a kill
            self.webhook.send(record)
        self._violations.write(json.dumps(record) + "\n")
        self._violations.flush()
        self.recent.append(record)
        self._count(record["severity"])
        if self.as_json:
            click.echo(json.dumps(record))
        else:
            where = f"{in_line(record['trace_id'])} message {record['message_index']}"
            late = " (certain at the end)" if breach.ended else ""
            head = f"{record['time']} {record['severity']:8} {where}"
            click.echo(f"{head}: {record['rule_id']}: {record['rule']}{late}")

    def _count(self, severity: str) -> None:
        self.severities[severity] = self.severities.get(severity, 0) + 1

    def _known(self, breach: Breach) -> None:
        """Count what was told by an earlier process: it is there all the same."""
        self._count(breach.violation.severity)
        self.told += 1

    def _finished(self, record: dict[str, Any]) -> None:
        if self.hiding:
            from truespec.executors.trace_check import REDACTED_FIELDS

            source = record["source"]["file"], record["trace_id"]
            redactor = self._redactor(self.watcher.conversations[source].trace)
            record = {
                name: redactor.value(value) if name in REDACTED_FIELDS else value
                for name, value in record.items()
            }
        line = json.dumps(record)
        if (digest := _digest(line)) not in self._written:  # a restart finds what was over before
            self._written.add(digest)
            self._artifacts.write(line + "\n")
            self._artifacts.flush()
        self.tally.add(record)
        for check in record["checks"]:
            told = check["rule_id"], check.get("reason", "")
            if told[1] and not check.get("elsewhere") and told not in self._skipped:
                if len(self._skipped) < SHOWN:
                    self._skipped.add(told)
                    where = in_line(record["trace_id"])
                    click.echo(f"not evaluated: {told[0]}: {in_line(told[1], 400)} ({where})", err=True)

    def _redactor(self, trace: Trace) -> Redactor:
        """The redactor of a conversation, which knows what is hidden in it so far."""
        key = trace.source.file, trace.id
        if key not in self._redactors:
            self._redactors[key] = self.hiding.redactor()
        self._redactors[key].learn(trace)
        return self._redactors[key]

    def _problem(self, problem: Problem) -> None:
        self.problems += 1
        click.echo(str(problem), err=True)

    def _state(self) -> dict[str, Any]:
        return {
            "conversations": [
                {
                    "trace_id": known.trace.id,
                    "messages": len(known.trace.messages),
                    "violations": known.breaches,
                    "over": known.ended,
                    "not_evaluated": known.monitor.not_evaluated,
                }
                for known in list(self.watcher.conversations.values())[:SHOWN]
            ],
            "over": self.ended,
        }


def _digest(line: str) -> bytes:
    return hashlib.sha256(line.encode()).digest()


def _text_lines(path: Path) -> Iterator[str]:
    if path.exists():
        with path.open(encoding="utf-8", errors="replace", newline="\n") as lines:
            yield from (line.rstrip("\n") for line in lines)


def _left_out(path: Path, line: str) -> None:
    click.echo(f"{path}: a line that is no violation is left out: {line[:60]!r}", err=True)
