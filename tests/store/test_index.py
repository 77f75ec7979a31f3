"""The index over runs: what lists find, and what a growing, damaged or changed file costs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from truespec.store.index import Index, Query
from truespec.verdict import UsageError


def verdict(name: str, answer: str, seconds: float = 0.1, **more: Any) -> str:
    record = {"id": name, "domain": "regex", "answer": answer, "method": "m", "seconds": seconds, **more}
    return json.dumps(record) + "\n"


def pair(name: str, oracle: str) -> str:
    return json.dumps({"id": name, "domain": "regex", "oracle": oracle, "candidate": "x"}) + "\n"


@pytest.fixture
def run(tmp_path: Path) -> Iterator[tuple[Index, Path]]:
    point = {"counterexample": {"string": "Straße"}, "replayed_by": "re"}
    lines = [
        verdict("one", "equivalent", 0.5),
        verdict("two", "refuted", 0.2, evidence=point, relation="weaker"),
        verdict("three", "unknown", 0.9, reason={"code": "timeout", "detail": "4 s"}),
    ]
    (tmp_path / "v.jsonl").write_text("".join(lines))
    (tmp_path / "p.jsonl").write_text(pair("two", "(ab)*") + pair("one", "a+") + pair("three", "b"))
    index = Index([(tmp_path / "v.jsonl", tmp_path / "p.jsonl")])
    index.refresh_all()
    yield index, tmp_path
    index.close()


@pytest.mark.parametrize(
    ("query", "names"),
    [
        (Query(), ["one", "two", "three"]),
        (Query(answer="refuted"), ["two"]),
        (Query(text="(AB)*"), ["two"]),
        (Query(text="STRASSE"), ["two"]),
        (Query(text="4 S"), ["three"]),
        (Query(text="%"), []),
        (Query(domain="sql"), []),
        (Query(sort="slowest"), ["three", "one", "two"]),
        (Query(sort="id"), ["one", "three", "two"]),
        (Query(sort="n; DROP TABLE item"), ["one", "two", "three"]),
        (Query(limit=1, offset=1), ["two"]),
    ],
)
def test_a_list_is_filtered_searched_and_sorted(
    run: tuple[Index, Path], query: Query, names: list[str]
) -> None:
    index, _ = run
    assert [row["id"] for row in index.listed(index.runs[0], query)[1]] == names


def test_a_record_comes_with_its_pair(run: tuple[Index, Path]) -> None:
    index, _ = run
    found = index.record(index.runs[0], 2)
    assert found is not None
    record, its_pair = found
    assert (record["relation"], its_pair and its_pair["oracle"]) == ("weaker", "(ab)*")
    assert index.record(index.runs[0], 4) is None


def test_a_file_that_grows_is_read_on_and_an_unfinished_line_waits(run: tuple[Index, Path]) -> None:
    index, folder = run
    line = verdict("four", "invalid", reason={"code": "syntax", "detail": "no"})
    with (folder / "v.jsonl").open("a") as file:
        file.write("no record\n" + line[:30])
        file.flush()
        index.refresh_all()
        assert (index.runs[0].items, index.runs[0].broken_count) == (3, 1)
        file.write(line[30:])
    index.refresh_all()
    assert index.counts(index.runs[0])["answer"] == {
        "equivalent": 1,
        "invalid": 1,
        "refuted": 1,
        "unknown": 1,
    }


def test_a_file_that_was_changed_is_not_shown_as_something_else(run: tuple[Index, Path]) -> None:
    index, folder = run
    (folder / "v.jsonl").write_text(verdict("other", "equivalent") * 5)
    with pytest.raises(UsageError, match="was changed"):
        index.record(index.runs[0], 2)


def test_two_runs_are_compared_by_id(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(verdict("one", "unknown") + verdict("two", "refuted"))
    (tmp_path / "b.jsonl").write_text(verdict("two", "refuted") + verdict("one", "equivalent"))
    index = Index([(tmp_path / "a.jsonl", None), (tmp_path / "b.jsonl", None)])
    index.refresh_all()
    count, rows = index.changed(index.runs[0], index.runs[1])
    assert (count, rows[0]["id"], rows[0]["old"], rows[0]["new"], rows[0]["new_n"]) == (
        1,
        "one",
        "unknown",
        "equivalent",
        2,
    )
    index.close()


@pytest.mark.parametrize("text", ["[1, 2]\n", '{"id": "a"}\n', "\x00\n"])
def test_a_file_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.jsonl").write_text(text)
    with pytest.raises(UsageError, match="neither a verdict nor the artifact"):
        Index([(tmp_path / "x.jsonl", None)])


def test_the_list_of_traces_names_the_rules_that_are_broken(tmp_path: Path) -> None:
    broken = [("tidy", "low"), ("ask", "high"), ("ask", "high"), ("odd", "severe"), ("log", "medium")]
    violations = [{"rule_id": rule, "severity": severity} for rule, severity in broken]
    rules = {"rule_set": "s", "rules": [{"id": "ask", "text": "Ask first."}]}
    traces = [
        {"trace_id": "bad", "rules": "s", "results": [{"violations": violations}]},
        {"trace_id": "good", "rules": "s", "results": []},
    ]
    file = tmp_path / "found.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in (rules, *traces)))
    index = Index([(file, None)])
    index.refresh_all()
    rows = index.listed(index.runs[0], Query(sort="worst"))[1]
    assert [(row["id"], row["answer"], row["detail"]) for row in rows] == [
        ("bad", "violations", "ask (high), log (medium), tidy (low), and 1 more"),
        ("good", "kept", ""),
    ]
    assert index.runs[0].rule_sets == {"s": rules["rules"]}
    index.close()


def test_traces_are_chosen_by_the_rule_that_they_break(tmp_path: Path) -> None:
    broken = {"a": ["ask", "ask"], "b": ["log"], "c": ["ask", "log"], "d": []}
    file = tmp_path / "found.jsonl"
    file.write_text(
        "".join(
            json.dumps({"trace_id": name, "results": [{"violations": [{"rule_id": rule} for rule in rules]}]})
            + "\n"
            for name, rules in broken.items()
        )
    )
    index = Index([(file, None)])
    index.refresh_all()
    assert index.counts(index.runs[0])["rule"] == {"ask": 2, "log": 2}
    for rule, names in (("ask", ["a", "c"]), ("log", ["b", "c"]), ("as", []), ("", ["a", "b", "c", "d"])):
        assert [row["id"] for row in index.listed(index.runs[0], Query(rule=rule))[1]] == names
    assert index.listed(index.runs[0], Query(rule="ask", text="c"))[0] == 1
    index.close()
