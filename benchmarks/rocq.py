"""Rocq: what is decided within 4 s and 30 s, on problems the tactics were tuned on and on problems they were not.

Bars, on the untuned half: at least 95 % of inequivalent pairs refuted and 75 % of equivalent pairs proved at 4 s, 98 %
and 85 % at 30 s, no wrong verdict, median at most 2 s. The peer is the paper's method, `unfold; hammer` at 4 s, on the
same equivalent pairs in the same run: proofs that were reconstructed, and external proofs that were not.

`--row=N` prints what N verifications in a row leave behind. Bars: no process, no folder, memory below the cap.

The last row is Verina's ready postconditions over scalars (`TRUESPEC_SOURCES`), each against itself rewritten and
against its first mutants. Bar: unknown at most 20 %. A mutant may mean the same, so both answers count as decided.
"""

# ruff: noqa: E501
from __future__ import annotations

import argparse
import contextlib
import os
import re
import resource
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import yaml

from truespec.benchmark import bundled
from truespec.benchmark.sources import verina
from truespec.benchmark.task import Task
from truespec.domains.registry import load
from truespec.domains.rocq.context import read_context
from truespec.domains.rocq.library import library
from truespec.domains.rocq.pair import Layout
from truespec.domains.rocq.screen import screen
from truespec.domains.rocq.session import MEMORY_BYTES
from truespec.domains.rocq.smt import GRADE
from truespec.domains.rocq.toolchain import toolchain
from truespec.domains.verify import Pair, verify_pair
from truespec.executors.pool import Job, verifiers
from truespec.verdict import Verdict

PROBLEMS = Path(__file__).parents[1] / "tests" / "domains" / "rocq" / "problems"
HALVES = ("tuned", "untuned", "functions")
SOURCES = Path(os.environ.get("TRUESPEC_SOURCES", Path(__file__).parents[2] / "shared" / "sources"))
MUTANTS = 3
"""Mutants of each of Verina's postconditions."""
HELPERS = "/usr/libexec/coq-hammer"
"""Where Debian keeps the hammer's helper programs."""


@dataclass(frozen=True)
class Labelled:
    """A pair whose label is by construction."""

    half: str
    problem: str
    pair: Pair
    expected: str


def main(arguments: list[str] | None = None) -> None:
    """Print one line a half and limit, then the peer's."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks rocq")
    parser.add_argument("--quick", action="store_true", help="one pair in four, at 4 s, without the peer")
    parser.add_argument("--half", choices=HALVES, help="only this half")
    parser.add_argument("--seconds", type=float, action="append", help="a limit; default 4 and 30")
    parser.add_argument("--every", type=int, default=1, help="one pair in so many")
    peer = parser.add_mutually_exclusive_group()
    peer.add_argument("--no-peer", action="store_true", help="without the paper's method")
    peer.add_argument("--only-peer", action="store_true", help="the paper's method alone")
    parser.add_argument(
        "--row", type=int, help="so many verifications in a row by a pool, and what they leave"
    )
    parser.add_argument("--verina", action="store_true", help="only Verina's postconditions")
    parser.add_argument("--verbose", action="store_true", help="a line for each pair")
    options = parser.parse_args(arguments)
    if options.row:
        _row(options.row, (options.seconds or [4.0])[0])
        return
    every = 4 if options.quick else options.every
    limits = options.seconds or ([4.0] if options.quick else [4.0, 30.0])
    load("rocq").warm_up()
    print(
        f"Rocq {toolchain().version}; wall limits; CPU is that of this process's children, in seconds a pair"
    )
    print(
        f"{'half':8} {'limit':>5} {'refuted':>12} {'proved':>12} {'of them smt':>11} {'unknown':>8} {'wrong':>6} {'median s':>9} {'median CPU':>10}"
    )
    for half in () if options.verina else HALVES:
        if options.half in (None, half):
            pairs = list(labelled(half))[::every]
            for seconds in () if options.only_peer else limits:
                _measure(half, pairs, seconds, options.verbose)
            if not options.quick and not options.no_peer:
                _peer(half, [one for one in pairs if one.expected == "equivalent"])

    if options.verina or not (options.quick or options.half or options.only_peer):
        for seconds in limits:
            _verina(seconds, every, options.verbose)
    _leftovers()


def _leftovers() -> None:
    """What all verifications of this run have left: memory while they run, then processes and folders."""
    domain: Any = load("rocq")
    living = [session.resident() for session in domain._sessions.values() if session.running]
    peak = max([resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024, *living]) / 2**20
    domain.close()
    below = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    children = len(below.read_text().split()) if below.exists() else 0
    folders = len(list(Path(tempfile.gettempdir()).glob(f"truespec-rocq-{os.getpid()}-*")))
    print(
        f"{_VERIFIED[0]} verifications: largest process {peak:.0f} MB (cap {MEMORY_BYTES >> 20}); "
        f"left when closed: {children} processes, {folders} folders"
    )


def _row(count: int, seconds: float) -> None:
    """Verifications one after another by a warm worker: what is left of them, and how much memory they took."""
    pairs = [one.pair for one in labelled("tuned")]
    row = [pairs[number % len(pairs)] for number in range(count)]
    library()  # compiled here where needed, so that no verification waits for it
    seen: set[int] = set()
    answers: dict[str, int] = {}
    most = 0
    began = time.monotonic()
    with verifiers(("rocq",)) as pool:
        for _, verdict in pool.run(Job(number, pair, seconds) for number, pair in enumerate(row)):
            answers[verdict.answer.value] = answers.get(verdict.answer.value, 0) + 1
            living = _below(os.getpid())
            seen.update(living)
            most = max([most, *map(_resident, living)])
    took = time.monotonic() - began
    folders = [path for one in seen for path in Path(tempfile.gettempdir()).glob(f"truespec-rocq-{one}-*")]
    shown = ", ".join(f"{answer} {number}" for answer, number in sorted(answers.items()))
    print(f"{count} verifications in a row in {took:.0f} s: {shown}")
    print(f"left: {len(_below(os.getpid()))} processes, {len(folders)} folders (bar 0, 0); "
          f"largest process {most >> 20} MB (cap {MEMORY_BYTES >> 20})")  # fmt: skip


def _below(process: int) -> list[int]:
    """All processes below one, as /proc lists them."""
    try:
        children = [
            int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()
        ]
    except OSError:
        return []
    return [one for child in children for one in (child, *_below(child))]


def _resident(process: int) -> int:
    try:
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    except OSError:
        return 0
    return 1024 * int(found.group(1)) if found else 0


def _verina(seconds: float, every: int, verbose: bool) -> None:
    folder = SOURCES / "rocq" / "verina_coq"
    if not folder.is_dir():
        print(f"no upstream data at {folder}: set TRUESPEC_SOURCES")
        return
    domain: Any = load("rocq")
    counts: dict[tuple[str, str], int] = {}
    tasks = [task for task in verina.read(folder) if isinstance(task, Task) and "scalar" in task.tags]
    for task in tasks[::every]:
        texts = [("rewritten", text) for text in domain.rewritings(task.oracle, task.context)]
        texts += [("mutants", text) for text in islice(domain.mutants(task.oracle, task.context), MUTANTS)]
        for kind, text in texts:
            verdict = _verify(Pair("rocq", task.oracle, text, task.context), seconds)
            answer = verdict.answer.value
            counts[kind, answer] = counts.get((kind, answer), 0) + 1
            if verbose:
                print(
                    f"  {task.id:24} {kind:10} {answer:10} {verdict.method:18} {verdict.seconds:6.2f}",
                    flush=True,
                )
    decided = sum(count for (_, answer), count in counts.items() if answer in ("equivalent", "refuted"))
    unknown = sum(count for (_, answer), count in counts.items() if answer == "unknown")
    shown = ", ".join(f"{kind} {answer} {count}" for (kind, answer), count in sorted(counts.items()))
    share = 100 * unknown / max(1, decided + unknown)
    print(
        f"verina   {seconds:5g} {len(tasks[::every])} postconditions over scalars: {shown}; unknown {share:.0f} % (bar 20 %)",
        flush=True,
    )


def labelled(half: str) -> Iterator[Labelled]:
    """The pairs of a half, in order: those of the bundled tasks, then more that only tune."""
    for entry in bundled.tasks("rocq"):
        task = entry.task
        if half in task.tags:
            for answer in entry.answers:
                pair = Pair("rocq", task.oracle, answer.text, task.context)
                yield Labelled(half, task.id, pair, answer.expected.value)
    if half != "untuned":
        yield from _more(half)


def _more(half: str) -> Iterator[Labelled]:
    for problem in yaml.safe_load((PROBLEMS / f"{half}.yml").read_text(encoding="utf-8")):
        signature = problem["signature"]
        context = {key: problem[key] for key in ("signature", "preamble", "implementation") if key in problem}
        for kind, expected in (("equivalent", "equivalent"), ("wrong", "refuted")):
            for text in problem[kind]:
                oracle, candidate = _text(problem["oracle"], signature), _text(text, signature)
                pair = Pair("rocq", oracle, candidate, context)
                yield Labelled(half, problem["name"], pair, expected)


def _text(text: str, signature: str) -> str:
    whole = re.match(r"\s*(Definition|Fixpoint|Inductive)\b", text)
    return text.strip() if whole else f"Definition spec {signature} := {text.strip()}."


_VERIFIED = [0]


def _verify(pair: Pair, seconds: float) -> Verdict:
    _VERIFIED[0] += 1
    return verify_pair(pair, seconds)


def _measure(half: str, pairs: list[Labelled], seconds: float, verbose: bool) -> None:
    walls: list[float] = []
    works: list[float] = []
    decided = {"equivalent": 0, "refuted": 0}
    total = {kind: sum(one.expected == kind for one in pairs) for kind in decided}
    wrong = unknown = by_solver = 0
    for one in pairs:
        before = _work()
        verdict = _verify(one.pair, seconds)
        walls.append(verdict.seconds)
        works.append(_work() - before)
        answer = verdict.answer.value
        if answer == one.expected:
            decided[answer] += 1
            by_solver += verdict.method == GRADE
        elif answer in decided:
            wrong += 1
            print(
                f"  WRONG: {one.problem}: expected {one.expected}: {one.pair.candidate} {verdict.to_json()}"
            )
        else:
            unknown += 1
        if verbose:
            print(
                f"  {one.problem[:28]:28} {one.expected:10} {answer:10} {verdict.method:18} {verdict.seconds:6.2f} {works[-1]:6.2f}",
                flush=True,
            )
    refuted, proved = (f"{decided[kind]}/{total[kind]}" for kind in ("refuted", "equivalent"))
    print(
        f"{half:8} {seconds:5g} {refuted:>12} {proved:>12} {by_solver:11} {unknown:8} {wrong:6} "
        f"{statistics.median(walls):9.2f} {statistics.median(works):10.2f}",
        flush=True,
    )


def _work() -> float:
    """Processor seconds of the sessions of the domain, living and ended."""
    domain: Any = load("rocq")
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    living = sum(session.worked() for session in domain._sessions.values() if session.running)
    return float(living + ended.ru_utime + ended.ru_stime)


def _peer(half: str, pairs: list[Labelled]) -> None:
    if not Path(HELPERS, "predict").exists():
        print(f"{half:8} plain hammer: not installed (apt-get install libcoq-hammer eprover)")
        return
    results = [_hammer(one) for one in pairs]
    proved, external = results.count("proved"), results.count("external")
    print(
        f"{half:8} plain hammer at 4 s: {proved}/{len(pairs)} reconstructed, {external} more by an external prover alone",
        flush=True,
    )


def _hammer(one: Labelled) -> str:
    context = read_context(one.pair.context)
    layout = Layout(context, screen(one.pair.oracle), screen(one.pair.candidate))
    body = [sentence.text for sentence in context.prelude]
    body += ["From Hammer Require Import Hammer.", "Set Hammer ATPLimit 4.", "Set Hammer ReconstrLimit 4."]
    body += [*layout.preamble(), *layout.modules(), *layout.statement()]
    body += ["Theorem t : Truespec_statement.", f"Proof. unfold {', '.join(layout.unfolded())}. hammer. Qed."]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "t.v").write_text("\n".join(body))
        log = Path(folder, "log")
        with log.open("wb") as out:
            process = subprocess.Popen(
                [*toolchain().compiler, "-q", "t.v"], cwd=folder, stdout=out, stderr=out, start_new_session=True,
                env={**os.environ, "PATH": f"{os.environ['PATH']}:{HELPERS}"},
            )  # fmt: skip
            deadline = time.monotonic() + 40
            while process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.05)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if process.returncode == 0:
            return "proved"
        return "external" if "succeeded" in log.read_text(errors="replace") else "failed"
