"""Importing and checking traces: against a bare JSON parse, against agentltl, at size.

Bars: checking every pack takes at most 5 times a bare JSON parse of the same files; on rules that agentltl
can express, at least 5 times faster than it, in one run; 200 rules over 10,000 events in under 1 s; a trace
file of 1 GB streams in constant memory; `trace check` with two workers takes at most 1 / 1.8 of the time of
one. Times are CPU seconds of this process; those of `trace check` are wall and CPU seconds of the command's
parts, which tell on a busy machine how fast it is on two idle cores.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truespec.rules.language import load_rules
from truespec.rules.monitor import RuleSet
from truespec.rules.packs import all_packs
from truespec.traces import Message, Source, ToolCall, Trace
from truespec.traces.importers.registry import files_below, read

ROOT = Path(os.environ.get("TRUESPEC_SOURCES", "../shared/sources")) / "traces"


def main(arguments: list[str] | None = None) -> None:
    """Print a table for each bar."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks traces")
    parser.add_argument("--quick", action="store_true", help="smaller files")
    quick = parser.parse_args(arguments).quick
    gc.set_threshold(100_000, 20, 50)
    if ROOT.is_dir():
        traces = against_parsing(quick)
        against_agentltl(traces)
        for copies in (1, 2) if quick else (1, 8):
            side_by_side(copies)
    else:
        print(f"no traces below {ROOT}; set TRUESPEC_SOURCES")
    many_rules()
    streaming(100 if quick else 1000)


def spent(work: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    """The least CPU time of some repetitions, and the result."""
    best, result = float("inf"), None
    for _ in range(repeats):
        started = time.process_time()
        result = work()
        best = min(best, time.process_time() - started)
    return best, result


def against_parsing(quick: bool) -> list[Trace]:
    """A bare parse of the tau2-bench and tau-bench files, importing them, checking all packs."""
    names = [
        path
        for path in files_below([ROOT / "tau2", ROOT / "tau1"])
        if "__" in path.name and (not quick or "airline" in path.name)
    ]
    contents = [(gzip.open if path.suffix == ".gz" else open)(path, "rb").read() for path in names]
    bare, _ = spent(lambda: [json.loads(content) for content in contents])
    traces: list[Trace]
    imported, traces = spent(lambda: [t for path in names for t in read(path) if isinstance(t, Trace)])
    rules = RuleSet(all_packs())
    for trace in traces[:20]:
        rules.check(trace)
    checked, findings = spent(lambda: [rules.check(trace) for trace in traces])
    messages = sum(len(trace.messages) for trace in traces)
    size = sum(map(len, contents)) / 1e6
    print(f"{len(names)} files, {size:.0f} MB, {len(traces)} traces, {messages} messages")
    print(f"  bare json.loads      {bare:8.3f} s")
    print(f"  import               {imported:8.3f} s  {imported / bare:5.1f} x")
    print(f"  check, {len(rules.rules):3} rules     {checked:8.3f} s  {checked / bare:5.1f} x   bar: 5 x")
    print(f"  import and check     {imported + checked:8.3f} s  {(imported + checked) / bare:5.1f} x")
    print(f"  breaches             {sum(len(f.violations) for one in findings for f in one):8}")
    return traces


def side_by_side(copies: int) -> None:
    """`truespec trace check` on the tau2-bench files, read `copies` times, with one worker and with two."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("TRUESPEC_SCRATCH")) as name:
        files = []
        for number in range(copies):
            folder = Path(name) / str(number)
            shutil.copytree(ROOT / "tau2", folder)  # a file that is named twice is read once
            files += [str(path) for path in folder.iterdir() if "__" in path.name]
        runs: dict[int, list[Parts]] = {1: [], 2: []}
        made: dict[int, bytes] = {}
        _checked_by(1, files[:1], Path(name))  # writes what Python and the system keep
        for _ in range(RUNS):
            for jobs in (1, 2):
                parts, made[jobs] = _checked_by(jobs, files, Path(name))
                runs[jobs].append(parts)
    print(f"trace check, {len(files)} files, {RUNS} alternating runs; load {os.getloadavg()[0]:.1f}")
    least = {jobs: Parts.least(several) for jobs, several in runs.items()}
    for jobs, parts in least.items():
        print(f"  --jobs {jobs}   wall {parts.wall:7.2f} s   CPU {parts}")
    one, two = least[1], least[2]
    by_parts = [first.cpu / other.on_two_cores() for first, other in zip(runs[1], runs[2], strict=True)]
    print(f"  faster by {one.wall / two.wall:.2f} x by wall   bar: 1.8 x on two idle cores")
    print(
        f"  faster by {one.cpu / two.on_two_cores():.2f} x by CPU of the parts, the least of each; ", end=""
    )
    print("each pair of runs:", " ".join(f"{ratio:.2f}" for ratio in by_parts))
    print(f"  at least {one.cpu / (two.alone + two.meanwhile + max(two.workers)):.2f} x ", end="")
    print("if the workers wait for all that the parent does meanwhile")
    print(f"  CPU {two.cpu / one.cpu:.2f} x; same artifacts: {made[1] == made[2]}")


RUNS = 5
"""Runs with one worker, and as many with two, by turns."""


@dataclass(frozen=True)
class Parts:
    """What one `trace check` took, in seconds."""

    wall: float
    """By the clock, with the start of Python."""
    alone: float
    """CPU of the parent before the first worker starts and after they have ended."""
    meanwhile: float
    """CPU of the parent while workers run."""
    workers: tuple[float, ...]
    """CPU of each worker: two, or none."""

    @classmethod
    def least(cls, several: Sequence[Parts]) -> Parts:
        """The least of each part: what else runs on the machine makes each one longer, never shorter.

        The work of the workers is shared out as in the run that is the median in this.
        """
        wall, alone, meanwhile = (
            min(getattr(one, name) for one in several) for name in ("wall", "alone", "meanwhile")
        )
        work = min(sum(one.workers) for one in several)
        shares = sorted(max(one.workers) / sum(one.workers) for one in several if one.workers)
        share = shares[len(shares) // 2] if shares else 0.0
        return cls(wall, alone, meanwhile, (work * share, work * (1 - share)) if shares else ())

    @property
    def cpu(self) -> float:
        """CPU of all processes."""
        return self.alone + self.meanwhile + sum(self.workers)

    def on_two_cores(self) -> float:
        """How long it takes where two cores are free: nothing runs beside the first part.

        The parent shares the two cores with its workers meanwhile; the longer worker may outlast both.
        """
        return self.alone + max((self.meanwhile + sum(self.workers)) / 2, *self.workers, 0.0)

    def __str__(self) -> str:
        workers = " and ".join(f"{one:.2f}" for one in self.workers)
        beside = f" + {self.meanwhile:.2f} s beside workers of {workers} s" if workers else ""
        return f"{self.alone:.2f} s alone{beside}"


_CHECK = """
import resource, time
from truespec.cli.main import main
from truespec.executors import forked, pool

def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime

start, end, close = forked.Forked.__init__, pool._Worker.end, pool.Workers.close
marks, workers = [], []

def started(self, *arguments):
    marks.append(time.process_time())
    start(self, *arguments)

def ended(self, **arguments):
    before = children()
    code = end(self, **arguments)
    workers.append(children() - before)
    return code

def closed(self):
    marks.append(time.process_time())
    close(self)

forked.Forked.__init__, pool._Worker.end, pool.Workers.close = started, ended, closed
try:
    main()
except SystemExit:
    pass
meanwhile = marks[-1] - marks[0] if marks else 0.0
print(time.process_time() - meanwhile, meanwhile, *workers)
"""


def _checked_by(jobs: int, files: list[str], folder: Path) -> tuple[Parts, bytes]:
    """What one run took, and a hash of the artifacts."""
    output = folder / "artifacts.jsonl"
    command = [sys.executable, "-c", _CHECK, "trace", "check", *files]
    command += ["--jobs", str(jobs), "-o", str(output), "--quiet"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
    started = time.perf_counter()
    printed = subprocess.run(command, check=True, env=environment, capture_output=True, text=True).stdout
    wall = time.perf_counter() - started
    alone, meanwhile, *workers = map(float, printed.split())
    return Parts(wall, alone, meanwhile, tuple(workers)), hashlib.sha256(output.read_bytes()).digest()


def against_agentltl(traces: list[Trace]) -> None:
    """The same rules over the same calls, in one run; verdicts are compared too."""
    try:
        from agentltl import LTLEvaluator, parse
        from agentltl import Trace as Theirs
    except ImportError:
        print("agentltl is not installed")
        return
    tools = sorted({call.name for trace in traces for m in trace.messages for call in m.calls})
    rng = random.Random(2026)
    ours, theirs = [], []
    for number in range(20):
        a, b = rng.sample(tools, 2)
        template, text = rng.choice(
            [
                ("precedence", f'G(now("{b}") -> O(now("{a}")))'),
                ("response", f'G(now("{a}") -> F(now("{b}")))'),
                ("not_chain_succession", f'G(now("{a}") -> !(X(now("{b}"))))'),
                ("absence", f'G(!(now("{a}")))'),
                ("existence", f'F(now("{a}"))'),
            ]
        )
        call = "{call: '%s', by: any}"
        ours.append(
            f"- {{id: r{number}, text: t, formal: {{template: {template}, over: {{kind: call}}, "
            f"a: {call % a}, b: {call % b}}}}}"
        )
        theirs.append(parse(text))
    rules = RuleSet(load_rules("\n".join(ours)))
    listed = [t for t in traces if any(m.calls for m in t.messages)]

    def calls(trace: Trace) -> Any:
        return Theirs.from_metrics(
            {"tool_calls": [{"tool_name": c.name} for m in trace.messages for c in m.calls]}
        )

    for trace in listed[:20]:
        rules.check(trace)
    evaluator = LTLEvaluator()
    mine, found = spent(lambda: [[f.status == "pass" for f in rules.check(trace)] for trace in listed])
    other, answers = spent(
        lambda: [[evaluator.evaluate(f, t).passed for f in theirs] for t in map(calls, listed)], 1
    )
    quoted, _ = spent(lambda: [[f.violations for f in rules.check(trace)] for trace in listed])
    same = sum(x == y for one, two in zip(found, answers, strict=True) for x, y in zip(one, two, strict=True))
    total = len(listed) * len(theirs)
    times = f"truespec {mine:.3f} s, agentltl {other:.3f} s: {other / mine:.1f} x"
    print(f"20 rules on {len(listed)} traces: {times}   bar: 5 x")
    print(f"  with every breach named and quoted: {quoted:.3f} s; same verdict on {same} of {total}")


def many_rules() -> None:
    """200 rules over one trace of 10,000 events."""
    rng = random.Random(7)
    templates = [
        "response",
        "precedence",
        "alternate_precedence",
        "chain_response",
        "not_succession",
        "not_chain_succession",
    ]
    tools = [f"tool_{n}" for n in range(60)]
    lines = []
    for number in range(200):
        a, b = rng.sample(tools, 2)
        kind = number % 4
        if kind == 0:
            formal = f"{{template: absence, a: {{message: assistant, text: {{contains: secret-{number}}}}}}}"
        elif kind == 1:
            formal = f"{{template: absence, a: {{call: {a}, args: {{amount: {{gt: {900 + number}}}}}}}}}"
        else:
            formal = f"{{template: {rng.choice(templates)}, a: {{result: {a}, ok: true}}, b: {{call: {b}}}}}"
        lines.append(f"- {{id: r{number}, text: t, formal: {formal}}}")
    messages: list[Message] = []
    events = 0
    while events < 10_000:
        arguments = {"amount": rng.randrange(1000), "id": f"o{rng.randrange(50)}"}
        call = ToolCall(rng.choice(tools), arguments, f"c{events}")
        messages.append(Message("assistant", "I will look that up for you.", (call,)))
        messages.append(Message("tool", "done", call_id=call.id, error=rng.random() < 0.1))
        events += 3
        if rng.random() < 0.3:
            messages.append(Message("user", "Please go on."))
            events += 1
    trace = Trace("t", tuple(messages), Source("bench", "f", "0", "0"))
    started = time.process_time()
    rules = RuleSet(load_rules("\n".join(lines)))
    compiled = time.process_time() - started
    seconds, findings = spent(lambda: rules.check(trace))
    print(f"200 rules, {events} events: {seconds:.3f} s (compiled in {compiled:.3f} s)   bar: 1 s")
    print(f"  breaches {sum(len(f.violations) for f in findings)}")


_CHILD = """
import re, sys, time
from pathlib import Path
from truespec.traces.importers.registry import read
count = sum(1 for _ in read(Path(sys.argv[1])))
peak = re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())
print(count, time.process_time(), int(peak[1]) // 1024)
"""


def streaming(megabytes: int) -> None:
    """Peak memory and time for files of growing size."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("TRUESPEC_SCRATCH")) as folder:
        for kind in ("tau2", "jsonl"):
            for size in (megabytes // 4, megabytes):
                path = Path(folder) / (f"big.{kind}.json" if kind == "tau2" else "big.jsonl")
                _write(path, size << 20, kind)
                out = subprocess.run(
                    [sys.executable, "-c", _CHILD, str(path)], capture_output=True, text=True, check=True
                ).stdout.split()
                actual = path.stat().st_size >> 20
                spent_there = f"{float(out[1]):7.1f} s, peak {out[2]:>5} MB"
                print(f"{kind:>6} {actual:5} MB: {out[0]:>7} traces, {spent_there}")
                path.unlink()


def _write(path: Path, size: int, kind: str) -> None:
    text = "All is well. " * 200
    conversation = [
        {"role": "user" if n % 2 else "assistant", "content": text, "tool_calls": None} for n in range(12)
    ]
    with path.open("w", encoding="utf-8") as stream:
        if kind == "tau2":
            header = {"environment_info": {"domain_name": "x", "policy": "p"}, "agent_info": {"llm": "m"}}
            stream.write('{"info": ' + json.dumps(header) + ', "tasks": [{"id": "0"}], "simulations": [')
        number = 0
        while stream.tell() < size:
            if kind == "tau2":
                run = {
                    "id": f"s{number}",
                    "task_id": "0",
                    "reward_info": {"reward": 1.0},
                    "messages": conversation,
                }
                stream.write((", " if number else "") + json.dumps(run))
            else:
                stream.write(json.dumps({"id": f"s{number}", "messages": conversation}) + "\n")
            number += 1
        if kind == "tau2":
            stream.write("]}")
