"""Counts, times, and the summary record."""

from __future__ import annotations

import json
from importlib.resources import files

import jsonschema
import pytest

from reports import samples
from truespec.reports.summary import Times, disagreements, summarise, totals

SCHEMA = json.loads(files("truespec.reports").joinpath("summary.schema.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("seconds", "median", "p99"),
    [
        ([1.0], 1.0, 1.0),
        ([1.0, 2.0], 1.0, 2.0),
        ([3.0, 1.0, 2.0], 2.0, 3.0),
        ([float(n) for n in range(1, 201)], 100, 198),
    ],
)
def test_times_are_nearest_ranks(seconds: list[float], median: float, p99: float) -> None:
    times = Times.of(seconds)
    assert times is not None
    assert (times.median, times.p99, times.longest) == (median, p99, max(seconds))
    assert times.total == pytest.approx(sum(seconds))


def test_no_pairs_have_no_times() -> None:
    assert Times.of([]) is None
    assert totals([]).to_json()["seconds"] is None


def test_totals_count_every_candidate_once() -> None:
    sums = totals(samples.entries())
    assert sums.tasks == 4
    assert sums.answers == {"equivalent": 1, "refuted": 4, "unknown": 2, "invalid": 1}
    assert sums.relations == {"stronger": 0, "weaker": 1, "incomparable": 1}
    assert sums.reasons == {"incomplete": 1, "syntax": 1, "unsupported": 1}
    assert (sums.agree, sums.disagree) == (4, 1)
    assert [one.id for _, one in disagreements(samples.entries())] == ["r3"]


@pytest.mark.parametrize(
    "entries", [samples.entries(), samples.hostile(), []], ids=["tame", "hostile", "empty"]
)
def test_the_summary_follows_its_schema(entries: list[object]) -> None:
    summary = summarise(entries, {"command": "truespec demo", "seconds": 1.5, "tools": {"z3": "4.15"}})  # type: ignore[arg-type]
    read = json.loads(json.dumps(summary))
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(read, SCHEMA)
    counted = sum(read["total"]["answers"].values())
    assert counted == read["total"]["candidates"] == len(read["verdicts"])
    assert counted == sum(counts["candidates"] for counts in read["domains"].values())
