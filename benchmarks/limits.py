"""By how much a pair overruns its wall limit, in process and in a worker, on pairs that outlast any limit.

In process means `domains.verify.verify_pair`, without a worker that could be ended. Each domain runs in a
process of its own; one that does not answer within the limit and `HOPELESS` seconds is ended and named.

Bar: no pair overruns by more than 1 s.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections import Counter
from multiprocessing.connection import Connection

from benchmarks._hard_pairs import FAMILIES, pairs
from truespec.domains.registry import load
from truespec.domains.verify import Pair, verify_pair

BAR = 1.0
LIMIT = 1.0
HOPELESS = 60.0
SIZES = (3, 10, 30, 100, 300)
QUICK = (5, 60)


def main(arguments: list[str] | None = None) -> None:
    """Print, per domain and way, the worst overrun and the pair that caused it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks limits")
    parser.add_argument("--quick", action="store_true", help="two sizes of each family instead of five")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds per pair")
    parser.add_argument("--domain", action="append", choices=list(FAMILIES), help="only these")
    parser.add_argument("--worker", action="store_true", help="by workers too, as truespec.verify does")
    parser.add_argument("--verbose", action="store_true", help="name each pair that overruns by 0.25 s")
    options = parser.parse_args(arguments)
    sizes = QUICK if options.quick else SIZES
    print(f"limit {options.limit:g} s per pair, bar {BAR:g} s over it")
    print(f"{'domain':8} {'way':11} {'pairs':>6} {'at limit':>9} {'ended':>6} {'worst overrun':>14}  by")
    failed = False
    for domain in options.domain or FAMILIES:
        for way in ("in process", "worker") if options.worker else ("in process",):
            failed |= not report(domain, way, sizes, options.limit, options.verbose)
    if failed:
        sys.exit(f"a pair overran its limit by more than {BAR:g} s")


def report(domain: str, way: str, sizes: tuple[int, ...], limit: float, verbose: bool) -> bool:
    """Measure one domain in one way; whether it kept the bar."""
    answers: Counter[str] = Counter()
    worst, culprit, late, ended, count = 0.0, "-", 0, 0, 0
    with _Process(domain, way) as process:
        for name, size, pair in pairs(domain, sizes):
            count += 1
            seconds, answer = process.verify_pair(pair, limit)
            over = seconds - limit
            late += over > -0.05
            ended += answer is None
            answers[answer or "ended"] += 1
            if over > worst:
                worst, culprit = over, f"{name}, size {size}"
            if verbose and over > 0.25:
                print(f"    {name}, size {size}: {over:.2f} s over, {answer}", flush=True)
    shown = f"{worst:.2f} s"
    print(f"{domain:8} {way:11} {count:6} {late:9} {ended:6} {shown:>14}  {culprit}", flush=True)
    print(f"{'':8} {', '.join(f'{n} {answer}' for answer, n in answers.most_common())}", flush=True)
    return worst <= BAR


class _Process:
    """A process that judges pairs of one domain; started anew when it had to be ended."""

    def __init__(self, domain: str, way: str) -> None:
        self._domain, self._way = domain, way
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, there = context.Pipe()
        self._process = context.Process(target=_serve, args=(there, self._domain, self._way), daemon=False)
        self._process.start()
        there.close()
        self._pipe.recv()

    def verify_pair(self, pair: Pair, limit: float) -> tuple[float, str | None]:
        """Seconds that the pair took, and its answer; None where the process had to be ended."""
        self._pipe.send((pair, limit))
        try:
            if self._pipe.poll(limit + HOPELESS):
                seconds, answer = self._pipe.recv()
                return seconds, answer
        except (EOFError, ConnectionResetError):
            pass
        self._process.kill()
        self._process.join()
        self._start()
        return limit + HOPELESS, None

    def __enter__(self) -> _Process:
        return self

    def __exit__(self, *_: object) -> None:
        self._pipe.close()
        self._process.join(10)
        self._process.kill()


def _serve(pipe: Connection, domain: str, way: str) -> None:
    import truespec

    if way == "worker":
        truespec.verify(domain, *_simple(domain))
    else:
        load(domain).warm_up()
    pipe.send(None)
    while True:
        try:
            pair, limit = pipe.recv()
        except EOFError:
            return
        if (
            way == "worker"
        ):  # one that replaces a worker that was ended is set up here, not on the pair's time
            truespec.verify(domain, *_simple(domain))
        started = time.monotonic()
        try:
            if way == "worker":
                answer = truespec.verify(
                    pair.domain, pair.oracle, pair.candidate, pair.context, limit
                ).answer.value
            else:
                verdict = verify_pair(pair, limit)
                answer = verdict.reason.code.value if verdict.reason else verdict.answer.value
        except truespec.TruespecError as error:
            answer = type(error).__name__
        pipe.send((time.monotonic() - started, answer))


def _simple(domain: str) -> tuple[str, str, dict[str, object]]:
    pair = next(iter(pairs(domain, (3,))))[2]
    return pair.oracle, pair.candidate, dict(pair.context)


if __name__ == "__main__":
    main()
