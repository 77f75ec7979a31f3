"""`truespec serve` as a program: its start, 1,000 requests at once, and pages on a run of 100,000 pairs.

Bars: the first answer within 1.5 s of the start; 1,000 requests of cheap pairs at once without an error; of a
run of 100,000 pairs the first page within 0.5 s and a filtered one within 0.2 s, once it is indexed. Times
are wall times of the client, on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOKEN = "a-token"


def main(arguments: list[str] | None = None) -> None:
    """Print the start, the errors and percentiles of concurrent requests, and the times of pages."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks serve")
    parser.add_argument("--quick", action="store_true", help="a run of 5,000 pairs instead of 100,000")
    parser.add_argument("--requests", type=int, default=1_000, help="how many requests at once")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        run = _run(Path(folder), 5_000 if options.quick else 100_000)
        started = time.perf_counter()
        with subprocess.Popen(
            [sys.executable, "-m", "truespec", "serve", str(run), "--port", "0"],
            env=os.environ | {"TRUESPEC_TOKEN": TOKEN},
            stdout=subprocess.PIPE,
            text=True,
        ) as server:
            try:
                assert server.stdout is not None
                address = re.search(r"http://127\.0\.0\.1:(\d+)/", server.stdout.readline())
                assert address is not None
                asyncio.run(_measure(int(address[1]), started, options.requests))
            finally:
                server.terminate()


def _run(folder: Path, count: int) -> Path:
    """A folder with seeded pairs and verdicts."""
    chance = random.Random(2026)
    answers = ("equivalent", "refuted", "unknown")
    with (folder / "pairs.jsonl").open("w") as pairs, (folder / "verdicts.jsonl").open("w") as verdicts:
        for number in range(count):
            text = "".join(chance.choices("abcdef|*", k=30))
            pair = {"id": f"p{number}", "domain": "regex", "oracle": f"({text})", "candidate": text}
            pairs.write(json.dumps(pair) + "\n")
            verdict = {"id": f"p{number}", "domain": "regex", "answer": chance.choice(answers)}
            verdicts.write(json.dumps({**verdict, "method": "drawn", "seconds": chance.random()}) + "\n")
    return folder


async def _measure(port: int, started: float, count: int) -> None:
    await _ask(port, "GET", "/healthz")
    print(f"start to the first answer  {time.perf_counter() - started:6.2f} s (bar: 1.5 s)")
    while "reading" in (await _ask(port, "GET", "/runs"))[1]:
        await asyncio.sleep(0.2)
    print(f"start to a whole index     {time.perf_counter() - started:6.2f} s")
    for name, path in (
        ("first page", "/runs/1"),
        ("filtered", "/runs/1?answer=refuted"),
        ("searched", "/runs/1?text=abc"),
        ("sorted", "/runs/1?sort=slowest"),
    ):
        times = []
        for _ in range(5):
            began = time.perf_counter()
            status, _ = await _ask(port, "GET", path)
            times.append(time.perf_counter() - began)
            assert status == 200
        print(f"{name:26} {1000 * statistics.median(times):6.0f} ms, the median of five")
    warm = {"domain": "regex", "oracle": "a", "candidate": "b"}
    await _ask(port, "POST", "/v1/verify", warm)

    async def one(number: int) -> tuple[int, float]:
        began = time.perf_counter()
        pair = {"domain": "regex", "oracle": f"a{{{number % 50}}}", "candidate": "b"}
        status, _ = await _ask(port, "POST", "/v1/verify", pair)
        return status, time.perf_counter() - began

    began = time.perf_counter()
    found = await asyncio.gather(*(one(number) for number in range(count)))
    took = time.perf_counter() - began
    times = sorted(seconds for _, seconds in found)
    errors = sum(status != 200 for status, _ in found)
    print(f"{count} requests at once    {took:6.2f} s, {errors} errors (bar: 0)")
    print(
        f"  p50 {times[count // 2]:.2f} s, p99 {times[int(count * 0.99)]:.2f} s, {count / took:.0f} a second"
    )


async def _ask(port: int, method: str, path: str, body: object = None) -> tuple[int, str]:
    """The status and the text of an answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    sent = json.dumps(body).encode() if body is not None else b""
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(sent)}\r\nConnection: close\r\n\r\n"
    writer.write(head.encode() + sent)
    answer = await reader.read()
    writer.close()
    return int(answer.split(b" ", 2)[1]), answer.decode("utf-8", "replace")
