"""Regular expressions: verdicts on every upstream pair, speed beside three peers, the slowest families."""

from __future__ import annotations

import gc
import importlib.util
import os
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import _brics
from truespec.automata import compare
from truespec.benchmark.sources.registry import load as reader
from truespec.benchmark.task import PairRecord, Task
from truespec.domains.regex.parse import Context, parse, read_context
from truespec.domains.regex.verify import Question
from truespec.domains.registry import load
from truespec.domains.verify import Pair, verify_pair
from truespec.verdict import Answer, TruespecError, Verdict

ROOT = Path(__file__).parent.parent
SECONDS = 4.0
SLOW = 0.5
DEEP: dict[str, object] = {"dialect": "deepregex"}
Timed = tuple[bool, float, float]
"""An answer, CPU seconds of its thread, wall seconds."""
Row = tuple[str, str, dict[str, object]]

console = Console(width=150)


def main(options: list[str]) -> None:
    """Print the tables; `--quick` samples."""
    quick = "--quick" in options
    sources = Path(os.environ.get("TRUESPEC_SOURCES", ROOT.parent / "shared" / "sources")) / "regex"
    if not sources.is_dir():
        console.print(f"no upstream data at {sources}: set TRUESPEC_SOURCES")
        return
    load("regex").warm_up()
    softregex_labels(sources, quick)
    turk = [
        task.oracle for task in records(sources, "nl-rx") if isinstance(task, Task) and task.tags[0] == "turk"
    ]
    nl_rx(turk, quick)
    llm(sources, quick)
    peers(turk, quick)
    slowest(sources, turk, quick)


def records(sources: Path, name: str) -> list[Any]:
    """What the reader of a set yields."""
    return list(reader(name)(sources))


def timed(row: Row) -> tuple[Verdict, float]:
    """A verdict and its CPU seconds."""
    started = time.process_time()
    verdict = verify_pair(Pair("regex", row[0], row[1], row[2]), SECONDS)
    return verdict, time.process_time() - started


def softregex_labels(sources: Path, quick: bool) -> None:
    """Labels against verdicts, pairs without a word boundary."""
    pairs = [pair for pair in records(sources, "softregex") if isinstance(pair, PairRecord)]
    plain = [pair for pair in pairs if "\\b" not in pair.oracle + pair.candidate]
    plain = plain[:: 10 if quick else 1]
    outcome: Counter[str] = Counter()
    exceptions = []
    for pair in plain:
        verdict, _ = timed((pair.oracle, pair.candidate, dict(pair.context)))
        if verdict.answer not in (Answer.EQUIVALENT, Answer.REFUTED):
            outcome[verdict.answer.value] += 1
            exceptions.append((pair, verdict))
        elif (verdict.answer is Answer.EQUIVALENT) is (pair.upstream_label == 1):
            outcome["agrees"] += 1
        else:
            outcome["differs"] += 1
            exceptions.append((pair, verdict))
    table = Table(title="SoftRegex pairs without \\b against their labels (bar: all decided, all agree)")
    for column in ("pairs", "agree", "differ", "unknown", "invalid"):
        table.add_column(column, justify="right")
    table.add_row(
        *map(str, (len(plain), outcome["agrees"], outcome["differs"], outcome["unknown"], outcome["invalid"]))
    )
    console.print(table)
    for pair, verdict in exceptions[:20]:
        shown = verdict.evidence.to_json() if verdict.evidence else verdict.reason and verdict.reason.detail
        console.print(
            f"  {pair.id} label {pair.upstream_label}: {verdict.answer.value} {shown}", markup=False
        )


def nl_rx(turk: list[str], quick: bool) -> None:
    """Unknowns on cross pairs and mutants."""
    rng = random.Random(11)
    regex = load("regex")
    count = 300 if quick else 5000
    cross: list[Row] = [(rng.choice(turk), rng.choice(turk), DEEP) for _ in range(count)]
    changed: list[Row] = []
    for text in rng.sample(turk, count // 5):
        changed += [(text, mutant, DEEP) for mutant in list(regex.mutants(text, DEEP))[:8]]
    same: list[Row] = []
    for text in rng.sample(turk, count // 10):
        same += [(text, other, DEEP) for other in regex.rewritings(text, DEEP)]
    table = Table(
        title="NL-RX-Turk (bar: 0 unknown), CPU ms of a whole verdict: proof or replay, relation, certificate"
    )
    for column in ("set", "pairs", "equivalent", "refuted", "unknown", "median", "p99", "max"):
        table.add_column(column, justify="left" if column == "set" else "right")
    for name, rows in (("cross pairs", cross), ("mutants", changed), ("rewritings", same)):
        results = [timed(row) for row in rows]
        answers = Counter(verdict.answer for verdict, _ in results)
        times = sorted(seconds for _, seconds in results)
        table.add_row(
            name,
            str(len(rows)),
            *[str(answers[a]) for a in (Answer.EQUIVALENT, Answer.REFUTED, Answer.UNKNOWN)],
            *figures(times),
        )
    console.print(table)


def figures(times: list[float]) -> list[str]:
    """Median, 99th percentile and greatest of sorted seconds, in ms."""
    return [
        f"{1000 * value:.2f}"
        for value in (statistics.median(times), times[int(len(times) * 0.99)], times[-1])
    ]


def llm(sources: Path, quick: bool) -> None:
    """Recorded answers of language models to RegExLib descriptions."""
    pairs = [pair for pair in records(sources, "redos") if isinstance(pair, PairRecord)][
        :: 10 if quick else 1
    ]
    table = Table(
        title="RegExLib gold against recorded answers (bar: 97 % of pairs without non-regular constructs)"
    )
    for column in (
        "model",
        "pairs",
        "equivalent",
        "refuted",
        "invalid",
        "non-regular",
        "other unknown",
        "decided",
        "max ms",
    ):
        table.add_column(column, justify="left" if column == "model" else "right")
    reasons: Counter[str] = Counter()
    for model in dict.fromkeys(pair.extra["model"] for pair in pairs):
        counts: Counter[str] = Counter()
        longest = 0.0
        for pair in pairs:
            if pair.extra["model"] != model:
                continue
            verdict, seconds = timed((pair.oracle, pair.candidate, dict(pair.context)))
            longest = max(longest, seconds)
            kind = verdict.answer.value
            if verdict.reason and verdict.answer is Answer.UNKNOWN:
                kind = "non-regular" if verdict.reason.code.value == "unsupported" else "other unknown"
                reasons[
                    f"{verdict.reason.code.value}: {verdict.reason.detail[:90]}"
                    if kind != "non-regular"
                    else kind
                ] += 1
            counts[kind] += 1
        regular = sum(counts.values()) - counts["non-regular"]
        share = (regular - counts["other unknown"]) / max(regular, 1)
        table.add_row(
            str(model),
            str(sum(counts.values())),
            *[str(counts[k]) for k in ("equivalent", "refuted", "invalid", "non-regular", "other unknown")],
            f"{100 * share:.2f} %",
            f"{1000 * longest:.0f}",
        )
    console.print(table)
    for reason, count in reasons.most_common(8):
        console.print(f"  {count} x {reason}", markup=False)


def peers(turk: list[str], quick: bool) -> None:
    """The same pairs, decided from text to answer, by dk.brics, Z3 and greenery."""
    rng = random.Random(12)
    texts = [text for text in turk if "\\b" not in text]
    count = 200 if quick else 1200
    pairs = [(rng.choice(texts), rng.choice(texts)) for _ in range(count)]
    warm = [(rng.choice(texts), rng.choice(texts)) for _ in range(count)]
    decide_all(warm)
    gc.collect()
    gc.freeze()  # the records that this benchmark holds are no load of the verifier's
    ours = dict(enumerate(decide_all(pairs)))
    gc.unfreeze()
    entries = {"truespec": ours}
    for minimize in (True, False):
        answers = enumerate(_brics.decide(pairs, warm, minimize))
        entries["dk.brics" if minimize else "dk.brics, not minimizing"] = {
            k: (answer == "true", cpu, wall) for k, (answer, cpu, wall) in answers if answer != "refused"
        }
    entries["z3"] = by_z3(pairs[: count // 6])
    entries["greenery"] = by_greenery(pairs[: count // 6])
    for clock, name in (
        (2, "wall"),
        (1, "CPU of the deciding thread, without a JVM's compiler and collector"),
    ):
        console.print(
            comparison(f"{count} NL-RX-Turk cross pairs without \\b, ms from text, {name}", entries, clock)
        )


def comparison(title: str, entries: dict[str, dict[int, Timed]], clock: int) -> Table:
    """One row for each tool, beside ours on the pairs that it decided."""
    ours = entries["truespec"]
    table = Table(title=title)
    for column in (
        "who",
        "pairs",
        *["median", "p99", "max", "total s", "median / ours", "total / ours", "disagree"],
    ):
        table.add_column(column, justify="left" if column == "who" else "right")
    for name, theirs in entries.items():
        if not theirs:
            table.add_row(name, "not installed", *[""] * 7)
            continue
        mine = sorted(ours[k][clock] for k in theirs)
        times = sorted(entry[clock] for entry in theirs.values())
        wrong = sum(entry[0] is not ours[k][0] for k, entry in theirs.items())
        table.add_row(
            name, str(len(theirs)), *figures(times), f"{sum(times):.2f}",
            f"{statistics.median(times) / statistics.median(mine):.1f}",
            f"{sum(times) / sum(mine):.1f}", str(wrong),
        )  # fmt: skip
    return table


def now() -> tuple[float, float]:
    """CPU and wall clock."""
    return time.process_time(), time.perf_counter()


def since(started: tuple[float, float]) -> tuple[float, float]:
    """CPU and wall seconds since then."""
    return time.process_time() - started[0], time.perf_counter() - started[1]


def decide_all(pairs: Iterable[tuple[str, str]]) -> list[Timed]:
    """Ours: read both, compare."""
    context = read_context(DEEP)
    out = []
    for left, right in pairs:
        started = now()
        question = Question(parse(left, context), parse(right, context), context)
        equal = compare(question.stepper, question.oracle, question.candidate, lambda: None).equal
        out.append((equal, *since(started)))
    return out


def by_z3(pairs: list[tuple[str, str]]) -> dict[int, Timed]:
    """Z3's sequence solver: is there a string in exactly one of the two?"""
    import z3

    from truespec.automata import Both, Complement, Either, Expression, Repeat, Sequence, Symbol

    string = z3.String("s")
    sort = z3.ReSort(z3.StringSort())

    def build(node: Expression) -> Any:
        match node:
            case Symbol(None):
                return z3.AllChar(sort)
            case Symbol(tuple() as points):
                runs = [z3.Range(chr(a), chr(b - 1)) for a, b in zip(points[::2], points[1::2], strict=True)]
                return runs[0] if len(runs) == 1 else z3.Union(*runs)
            case Sequence(parts):
                built = [build(part) for part in parts] or [z3.Re("")]
                return built[0] if len(built) == 1 else z3.Concat(*built)
            case Either(parts):
                return z3.Union(*map(build, parts))
            case Both(parts):
                return z3.Intersect(*map(build, parts))
            case Complement(body):
                return z3.Complement(build(body))
            case Repeat(body, 0, None):
                return z3.Star(build(body))
            case Repeat(body, least, None):
                return z3.Concat(z3.Loop(build(body), least, least), z3.Star(build(body)))
            case Repeat(body, least, most):
                return z3.Loop(build(body), least, most)
        raise ValueError(node)

    context = read_context(DEEP)
    out = {}
    for number, (left, right) in enumerate(pairs):
        first, second = (parse(text, context).expression for text in (left, right))
        started = now()
        a, b = build(first), build(second)
        solver = z3.Solver()
        solver.set("timeout", 4000)
        solver.add(
            z3.InRe(string, z3.Union(z3.Intersect(a, z3.Complement(b)), z3.Intersect(b, z3.Complement(a))))
        )
        answer = solver.check()
        if answer != z3.unknown:
            out[number] = (answer == z3.unsat, *since(started))
    return out


def by_greenery(pairs: list[tuple[str, str]]) -> dict[int, Timed]:
    """greenery, on the pairs its syntax can say: no intersection, no complement."""
    if importlib.util.find_spec("greenery") is None:
        return {}
    from greenery import parse as read

    out = {}
    for number, (left, right) in enumerate(pairs):
        if set("&~") & set(left + right):
            continue
        started = now()
        equal = read(left).equivalent(read(right))
        out[number] = (equal, *since(started))
    return out


def generator() -> ModuleType:
    """The seeded random patterns of the tests."""
    path = ROOT / "tests" / "domains" / "regex" / "random_patterns.py"
    spec = importlib.util.spec_from_file_location("random_patterns", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def random_rows(count: int) -> Iterator[Row]:
    """Seeded pairs of at most 60 characters a side, half of each dialect, half of them near misses."""
    rng = random.Random(13)
    made = generator()
    while count:
        deep = rng.random() < 0.5
        write: Callable[..., str] = made.deepregex if deep else made.python
        raw: dict[str, object] = dict(DEEP) if deep else {"match": rng.choice(["full", "search"])}
        oracle = write(rng, rng.randint(1, 10))
        candidate = made.mutated(rng, oracle) if rng.random() < 0.5 else write(rng, rng.randint(1, 10))
        if max(len(oracle), len(candidate)) > 60:
            continue
        try:
            context: Context = read_context(raw)
            parse(oracle, context), parse(candidate, context)
        except TruespecError:
            continue
        count -= 1
        yield oracle, candidate, raw


def slowest(sources: Path, turk: list[str], quick: bool) -> None:
    """Every pair of the sources and the random ones: nothing over half a second."""
    step = 10 if quick else 1
    sets: dict[str, list[Row]] = {}
    for name in ("softregex", "structuredregex", "redos"):
        pairs = [pair for pair in records(sources, name) if isinstance(pair, PairRecord)]
        sets[name] = [(pair.oracle, pair.candidate, dict(pair.context)) for pair in pairs][::step]
    sets["random"] = list(random_rows(20_000 // step))
    table = Table(title=f"CPU ms of a whole verdict (bar: none over {SLOW:g} s)")
    for column in (
        "set",
        "pairs",
        "equivalent",
        "refuted",
        "unknown",
        "invalid",
        "median",
        "p99",
        "max",
        f"over {SLOW:g} s",
    ):
        table.add_column(column, justify="left" if column == "set" else "right")
    slow = []
    for name, rows in sets.items():
        results = [timed(row) for row in rows]
        answers = Counter(verdict.answer for verdict, _ in results)
        over = [
            (seconds, row, verdict)
            for row, (verdict, seconds) in zip(rows, results, strict=True)
            if seconds > SLOW
        ]
        slow += over
        order = (Answer.EQUIVALENT, Answer.REFUTED, Answer.UNKNOWN, Answer.INVALID)
        table.add_row(
            name,
            str(len(rows)),
            *[str(answers[a]) for a in order],
            *figures(sorted(s for _, s in results)),
            str(len(over)),
        )
    console.print(table)
    for seconds, row, verdict in sorted(slow, key=lambda entry: -entry[0])[:12]:
        console.print(
            f"  {seconds:.2f} s {verdict.answer.value}: {row[0][:200]!r} against {row[1][:200]!r}",
            markup=False,
        )
