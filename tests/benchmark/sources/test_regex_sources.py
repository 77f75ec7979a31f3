"""The readers of regular expressions: small files in upstream's layout, and the real ones."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import needs
from truespec.benchmark.sources.registry import load
from truespec.benchmark.sources.structuredregex import written_out
from truespec.benchmark.task import PairRecord, Skipped, Task
from truespec.domains.regex import plain, replay
from truespec.verdict import UsageError


def test_nl_rx_pairs_the_lines_and_names_the_broken_ones(tmp_path: Path) -> None:
    (tmp_path / "deep" / "NL-RX-Turk_src.txt").parent.mkdir()
    (tmp_path / "deep" / "NL-RX-Turk_src.txt").write_text("lines with dog\nlines with ring\nno partner")
    (tmp_path / "deep" / "NL-RX-Turk_targ.txt").write_text(".*dog.*\n.*(ring.*")
    (tmp_path / "deep" / "NL-RX-Synth_src.txt").write_text("a dog\n")
    (tmp_path / "deep" / "turk_tok_src-val.txt").write_text("lines with <M0>\n")
    (tmp_path / "deep" / "turk_tok_targ-val.txt").write_text(". * <M0> . *\n")
    found = list(load("nl-rx")(tmp_path))
    assert isinstance(found[0], Task)
    assert found[0].to_json() == {
        "id": "nl-rx/turk/00001",
        "domain": "regex",
        "statement": "lines with dog",
        "context": {"dialect": "deepregex"},
        "oracle": ".*dog.*",
        "tags": ["turk", "validation"],
        "source": {"dataset": "nl-rx", "file": "deep/NL-RX-Turk_src.txt", "position": "line 1"},
    }
    assert [type(record) for record in found[1:3]] == [Skipped, Skipped]
    assert isinstance(found[3], Task)
    assert (found[3].statement, found[3].oracle) == ("a dog", ".*dog.*")


def test_softregex_writes_tokens_out(tmp_path: Path) -> None:
    lines = ["( <M0> ) & ( [ <NUM> ] )\t( <M1> ) { 2 , }\t0", "no tabs", "( a\ta\t1"]
    (tmp_path / "test_data.txt").write_text("\n".join(lines))
    pair, broken, unreadable = load("softregex")(tmp_path)
    assert isinstance(pair, PairRecord)
    assert (pair.oracle, pair.candidate, pair.upstream_label) == ("(dog)&([0-9])", "(truck){2,}", 0)
    assert isinstance(broken, Skipped)
    assert isinstance(unreadable, Skipped)


def test_structuredregex_is_written_out() -> None:
    assert written_out("concat(repeatatleast(notcc(<num>),1),const(<L.j>))") == "(([^0-9]){1,})(L\\.j)"
    assert written_out("or ( const0 , <spec> )", {"const0": "a+"}) == "(a\\+)|([-,;.+:!@#_$%&*=^])"
    for broken in (
        "concat(<num>)",
        "repeat(<num>,x)",
        "or(<a>,<b>",
        "const3",
        "none(<a>)",
        "notcc(star(<a>))",
        "",
    ):
        with pytest.raises(ValueError, match=r"."):
            written_out(broken)


def test_redos_joins_completions_by_id(tmp_path: Path) -> None:
    prompts = [
        {"id": 1, "expression": "^\\d$", "raw_prompt": "one digit", "matches": ["1"], "non_matches": ["a"]},
        {"id": 2, "expression": "(", "raw_prompt": "broken", "matches": [], "non_matches": []},
        {"id": 3, "expression": "(a)\\1", "raw_prompt": "twice", "matches": [], "non_matches": []},
    ]
    answers = [{"id": 1, "completion": "[0-9]", "passed": False}, {"id": 2, "completion": "x"}, {"id": 1}]
    (tmp_path / "prompts.jsonl").write_text("\n".join(map(json.dumps, prompts)))
    (tmp_path / "X_Output_raw_1.0_128_DFA_Result.jsonl").write_text(
        "\n".join(map(json.dumps, answers)) + "\n{"
    )
    tasks = list(load("redos")(tmp_path))
    assert [type(record) for record in tasks] == [Task, Skipped, Task, PairRecord, Skipped, Skipped, Skipped]
    assert isinstance(tasks[2], Task)
    assert tasks[2].tags == ("not-regular",)
    pair = tasks[3]
    assert isinstance(pair, PairRecord)
    assert (pair.oracle, pair.candidate, pair.extra["model"]) == ("^\\d$", "[0-9]", "X_1.0_128")


@pytest.mark.parametrize("name", ["nl-rx", "softregex", "structuredregex", "redos"])
def test_a_folder_without_the_files_is_a_usage_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected"):
        list(load(name)(tmp_path))


@pytest.mark.parametrize(
    ("name", "tasks", "pairs", "skipped"),
    [
        ("nl-rx", 10_000, 0, 20),
        ("softregex", 0, 10_000, 20),
        ("structuredregex", 1_300, 6_000, 1_100),
        ("redos", 750, 2_000, 10),
    ],
)
def test_the_real_files_are_read(name: str, tasks: int, pairs: int, skipped: int) -> None:
    found = list(load(name)(needs.sources("regex")))
    kinds = Counter(type(record) for record in found)
    assert kinds[Task] >= tasks
    assert kinds[PairRecord] >= pairs
    assert kinds[Skipped] <= skipped
    ids = [record.id for record in found if isinstance(record, Task | PairRecord)]
    assert len(ids) == len(set(ids))


def test_structuredregex_oracles_agree_with_upstreams_examples() -> None:
    checked: set[str] = set()
    for task in load("structuredregex")(needs.sources("regex/structuredregex")):
        if not isinstance(task, Task) or task.oracle in checked or len(checked) > 150:
            continue
        checked.add(task.oracle)
        tree = plain.read(task.oracle, "deepregex", "", "word", True)
        examples = task.extra["examples"]
        assert isinstance(examples, dict)
        for kind, expected in (("positive", True), ("negative", False)):
            for string in examples[kind]:
                assert replay.Matcher(string).accepts(tree, "full") is expected, (task.id, string)
