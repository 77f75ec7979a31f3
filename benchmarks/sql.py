"""SQL: answers, times and confirmed refutations on LeetCode, its references, Calcite and the literature.

Bars at 4 s: of 500 LeetCode submissions at most 10 % unknown, at least a third refuted, every refutation
confirmed by the real MariaDB in a database of its own, median at most 0.3 s; of 397 Calcite pairs at least
75 % proved; of 64 literature pairs at most 5 unknown. Every verdict is kept below `out/benchmarks/sql/`.

The peer `provensql` reads BigQuery's dialect; it is installed in an environment of its own below `out/`,
because it needs an older DuckDB, and gets the same pairs, constraints and limit.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import select
import shutil
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks import _sql_against, _sql_cross, _sql_explained
from truespec.benchmark.sources.registry import load as load_source
from truespec.benchmark.task import PairRecord
from truespec.domains.contract import RecheckStatus
from truespec.domains.registry import load
from truespec.domains.sql.schema import read_schema
from truespec.domains.verify import Pair
from truespec.executors.pool import Job, verifiers
from truespec.solvers.limit import Limit
from truespec.verdict import Answer, Counterexample, Verdict

SECONDS = 4.0
SEED = 2025
SAMPLE = 500
QUICK = 60
SOURCES = Path(os.environ.get("TRUESPEC_SOURCES", Path(__file__).parents[2] / "shared" / "sources"))
OUT = Path("out") / "benchmarks" / "sql"
PEER = Path("out") / "peers" / "provensql"


def main(arguments: list[str] | None = None) -> None:
    """Print the table of every set, why pairs stay unknown, and whether the bars are met."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks sql")
    parser.add_argument("--quick", action="store_true", help=f"at most {QUICK} pairs of each set")
    parser.add_argument("--jobs", type=int, default=1, help="workers side by side")
    parser.add_argument("--set", action="append", help="only this set; may be repeated")
    parser.add_argument("--no-peer", action="store_true", help="leave provensql out")
    parser.add_argument("--against", action="store_true", help="the long run: prover against refuter")
    parser.add_argument(
        "--part", default="1/1", help="K/N, with --against: the K-th of N shares of the pairs"
    )
    parser.add_argument(
        "--cross", action="store_true", help="five parts by question and schema, and what unknowns name"
    )
    parser.add_argument("--held", type=int, default=_sql_cross.PARTS, help="with --cross: the part held out")
    parser.add_argument("--count", type=int, default=100, help="with --cross: pairs of each source")
    options = parser.parse_args(arguments)
    if not (SOURCES / "sql").is_dir():
        sys.exit(f"no data in {SOURCES / 'sql'}: set TRUESPEC_SOURCES to the folder that holds sql/")
    if options.against:
        _sql_against.main(SOURCES, OUT, options.part)
        return
    OUT.mkdir(parents=True, exist_ok=True)
    if options.cross:
        pairs = _sql_cross.sample(pairs_of, SOURCES / "sql", options.count)
        verdicts = decide(pairs, options.jobs)
        _sql_cross.keep(pairs, verdicts, options.held, OUT / "cross.jsonl")
        print(_sql_cross.report(pairs, verdicts, options.held))
        return
    python = None if options.no_peer else peer_python()
    print(f"{SECONDS:g} s per pair, {options.jobs} worker(s), seed {SEED}")
    heads = ("pairs", "proved", "refuted", "confirmed", "unknown", "oracle", "invalid", "median", "p90 s")
    print("\n" + " ".join([f"{'set':12}", *(f"{head:>9}" for head in heads)]))
    notes: list[str] = []
    for name, pairs in sets().items():
        if options.set and name not in options.set:
            continue
        kept = pairs[:QUICK] if options.quick else pairs
        verdicts = decide(kept, options.jobs)
        notes.append(report(name, kept, verdicts))
        if python:
            report_peer(name, kept, verdicts, python)
    print("\n" + "\n".join(notes))
    if python is None:
        print("\nprovensql: not run (left out, or uv could not install it)")


def sets() -> dict[str, list[PairRecord]]:
    """The pairs of each set, drawn with the fixed seed."""
    folder = SOURCES / "sql"
    polygon = pairs_of("polygon", folder / "polygon_leetcode")
    submissions = [pair for pair in polygon if pair.upstream_label != {"correct": "reference"}]
    verieql = pairs_of("verieql", folder / "verieql")
    drawn = random.Random(SEED)
    calcite = [pair for pair in verieql if "-calcite-" in pair.id]
    return {
        "leetcode": drawn.sample(submissions, min(SAMPLE, len(submissions))),
        "references": [pair for pair in polygon if pair.upstream_label == {"correct": "reference"}],
        "calcite": drawn.sample(calcite, len(calcite)),
        "literature": [pair for pair in verieql if "-literature-" in pair.id],
    }


def pairs_of(source: str, folder: Path) -> list[PairRecord]:
    """The pairs of a data set."""
    return [record for record in load_source(source)(folder) if isinstance(record, PairRecord)]


def decide(pairs: Iterable[PairRecord], jobs: int) -> dict[str, Verdict]:
    """The verdict on each pair, by its id."""
    with verifiers(["sql"], jobs) as workers:
        return dict(
            workers.run(
                Job(pair.id, Pair("sql", pair.oracle, pair.candidate, pair.context), SECONDS)
                for pair in pairs
            )
        )


def report(name: str, pairs: list[PairRecord], verdicts: dict[str, Verdict]) -> str:
    """Print a set's row and keep its verdicts; the text says what is met and why pairs stay unknown."""
    domain = load("sql")
    domain.warm_up()
    answers: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    explained: Counter[str] = Counter()
    confirmed = 0
    with (OUT / f"{name}.jsonl").open("w", encoding="utf-8") as file:
        for pair in pairs:
            verdict = verdicts[pair.id]
            record = {"id": pair.id, **verdict.to_json(), "upstream_label": pair.upstream_label}
            if verdict.answer is Answer.REFUTED:
                again = domain.recheck(pair.oracle, pair.candidate, pair.context, verdict, Limit.start(30.0))
                confirmed += again.status is RecheckStatus.CONFIRMED
                record["recheck"] = {"status": again.status.value, "by": again.by, "detail": again.detail}
                if name == "calcite" and isinstance(verdict.evidence, Counterexample):
                    values = verdict.evidence.oracle_value, verdict.evidence.candidate_value
                    why = record["explanation"] = _sql_explained.explanation(pair.id, *values)
                    explained[why or f"NOT EXPLAINED: {pair.id}"] += 1
            kind = verdict.answer.value
            if verdict.reason is not None and verdict.answer is Answer.UNKNOWN:
                kind = "oracle" if verdict.reason.code.value == "oracle" else kind
                reasons[f"{verdict.reason.code.value}: {verdict.reason.detail[:110]}"] += 1
            answers[kind] += 1
            file.write(json.dumps(record, ensure_ascii=True, default=str) + "\n")
    times = sorted(verdict.seconds for verdict in verdicts.values())
    kinds = ("unknown", "oracle", "invalid")
    counts = [answers["equivalent"], answers["refuted"], confirmed, *(answers[kind] for kind in kinds)]
    row(name, [len(pairs), *counts], times)
    lines = [f"{name}: {met(name, answers, confirmed, times)}"]
    lines += [f"  {count:4} {reason}" for reason, count in reasons.most_common(12)]
    lines += [f"  {count:4} refuted: {why}" for why, count in explained.most_common()]
    return "\n".join(lines)


def met(name: str, answers: Counter[str], confirmed: int, times: list[float]) -> str:
    """Whether the bars of a set are met."""
    total = sum(answers.values())
    unknown = (answers["unknown"] + answers["oracle"]) / total
    bars: dict[str, bool] = {"every refutation confirmed": confirmed == answers["refuted"]}
    if name == "leetcode":
        bars["unknown <= 10 %"] = unknown <= 0.10
        bars["refuted >= 1/3"] = answers["refuted"] >= total / 3
        bars["median <= 0.3 s"] = statistics.median(times) <= 0.3
    if name == "calcite":
        bars["proved >= 75 %"] = answers["equivalent"] >= 0.75 * total
    if name == "literature":
        bars["unknown <= 5"] = answers["unknown"] + answers["oracle"] <= 5
    return ", ".join(f"{bar}: {'met' if good else 'MISSED'}" for bar, good in bars.items())


def peer_python() -> str | None:
    """A Python that has provensql; None where it cannot be installed."""
    python = PEER / "bin" / "python"
    if not python.exists():
        uv = shutil.which("uv")
        if uv is None:
            return None
        PEER.parent.mkdir(parents=True, exist_ok=True)
        for command in (
            ["venv", "-q", str(PEER)],
            ["pip", "install", "-q", "--python", str(python), "provensql"],
        ):
            if subprocess.run([uv, *command], check=False, capture_output=True).returncode:
                return None
    return str(python)


_DRIVER = """
import json, signal, sys, tempfile
from provensql import compare
from provensql.catalog import load

def stop(*_):
    raise TimeoutError

signal.signal(signal.SIGALRM, stop)
print("ready", flush=True)
for line in sys.stdin:
    pair = json.loads(line)
    signal.setitimer(signal.ITIMER_REAL, pair["seconds"])
    try:
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            json.dump({"tables": pair["tables"]}, file)
            file.flush()
            answer = compare(pair["oracle"], pair["candidate"], load(file.name)).type.value
    except BaseException as error:
        answer = type(error).__name__
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    print("answer " + json.dumps(str(answer)), flush=True)
"""

GRACE = 1.0
"""Seconds beyond the limit after which a peer that does not end its work is ended."""
START = 60.0
"""Seconds that the peer has to start."""


class Peer:
    """provensql in a process of its own, which is started anew when it hangs or dies."""

    def __init__(self, python: str) -> None:
        self.python = python
        self.process: subprocess.Popen[bytes] | None = None

    def ask(self, question: str) -> tuple[str, float]:
        """Its answer and the seconds it took; the kind of failure in place of an answer."""
        if self.process is None:
            command = [self.python, "-c", _DRIVER]
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            if self._said("ready", START) is None:
                self.end()
                return "does not start", 0.0
        started = time.perf_counter()
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(question.encode() + b"\n")
            self.process.stdin.flush()
            answer = self._said("answer ", SECONDS + GRACE)
        except OSError:
            answer = None
        if answer is None:
            self.end()
        return "no answer" if answer is None else str(json.loads(answer)), time.perf_counter() - started

    def _said(self, start: str, seconds: float) -> str | None:
        """The rest of the next line that begins like this; None where none comes in time."""
        assert self.process is not None
        assert self.process.stdout is not None
        until = time.monotonic() + seconds
        waiting = b""
        while time.monotonic() < until:
            if not select.select([self.process.stdout], [], [], max(0.0, until - time.monotonic()))[0]:
                return None
            read = os.read(self.process.stdout.fileno(), 65536)
            if not read:
                return None
            *lines, waiting = (waiting + read).split(b"\n")
            for line in lines:
                if line.startswith(start.encode()):
                    return line.decode()[len(start) :]
        return None

    def end(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


def report_peer(name: str, pairs: list[PairRecord], verdicts: dict[str, Verdict], python: str) -> None:
    """Print the peer's row: its answers, its times, and how many contradict a checked verdict of ours."""
    peer = Peer(python)
    answers: Counter[str] = Counter()
    failures: Counter[str] = Counter()
    against: list[str] = []
    times: list[float] = []
    with (OUT / f"{name}-provensql.jsonl").open("w", encoding="utf-8") as file:
        for pair in pairs:
            answer, seconds = peer.ask(_question(pair))
            times.append(seconds)
            kind = {"EQUIVALENT": "equivalent", "DIFFERENT": "refuted"}.get(answer, "unknown")
            answers[kind] += 1
            if kind == "unknown":
                failures[answer] += 1
            ours = verdicts[pair.id].answer.value
            if {kind, ours} == {"equivalent", "refuted"}:
                against.append(pair.id)
            file.write(json.dumps({"id": pair.id, "answer": answer, "ours": ours, "seconds": seconds}) + "\n")
    peer.end()
    counts = [answers["equivalent"], answers["refuted"], None, answers["unknown"], None, None]
    row("  provensql", [len(pairs), *counts], sorted(times))
    named = f": {', '.join(against[:6])}" if against else ""
    print(f"{'':12} {len(against)} of its answers contradict a checked verdict of ours{named}", flush=True)
    if failures:
        print(f"{'':12} unknown: {', '.join(f'{n} {kind}' for kind, n in failures.most_common(4))}")


def _question(pair: PairRecord) -> str:
    """A pair as the peer's driver reads it."""
    schema = read_schema(str(pair.context["schema"]), str(pair.context["dialect"]))
    kinds = {"int": "INT64", "decimal": "NUMERIC", "float": "FLOAT64", "bool": "BOOL", "date": "DATE"}
    tables = {
        table.name: {
            "columns": {c.name: kinds.get(c.type.kind.value, "STRING") for c in table.columns},
            "not_null": [c.name for c in table.columns if not c.nullable],
            "unique": [key[0] for key in table.unique_keys() if len(key) == 1],
            "foreign_keys": {
                key.columns[0]: f"{key.table}.{key.references[0]}"
                for key in table.foreign_keys
                if len(key.columns) == 1
            },
        }
        for table in schema.tables
    }
    texts = {"oracle": pair.oracle.rstrip(";"), "candidate": pair.candidate.rstrip(";")}
    return json.dumps({**texts, "tables": tables, "seconds": SECONDS})


def row(name: str, counts: Sequence[int | None], times: list[float]) -> None:
    """One line of the table."""
    cells = ["" if count is None else str(count) for count in counts]
    cells += [f"{statistics.median(times):.3f}", f"{times[int(len(times) * 0.9)]:.2f}"]
    print(" ".join([f"{name:12}", *(f"{cell:>9}" for cell in cells)]), flush=True)
