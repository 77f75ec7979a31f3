"""The commands as a user types them: exit codes, output, errors in one sentence."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


def truespec(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "truespec", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, timeout=120)


@pytest.mark.parametrize(
    ("oracle", "candidate", "code", "word"),
    [
        ("(ab)*", "(ab)*(ab)?", 0, "equivalent"),
        ("a*", "a+", 1, "refuted (stronger than the oracle)"),
        (r"(a)\1", "aa", 3, "unknown"),
        ("a", "(a", 4, "invalid"),
        ("(a", "a", 2, "oracle"),
        ("-+", "-*", 1, "weaker"),
    ],
)
def test_exit_code_tells_the_answer(oracle: str, candidate: str, code: int, word: str) -> None:
    run = truespec("verify", "regex", oracle, candidate)
    assert run.returncode == code, run
    assert word in run.stdout + run.stderr
    assert "Traceback" not in run.stderr


def test_json_is_the_verdict_record() -> None:
    record = json.loads(truespec("verify", "regex", "a*", "a+", "--json").stdout)
    assert record["answer"] == "refuted"
    assert record["evidence"]["counterexample"] == {"string": ""}
    assert (record["evidence"]["oracle_value"], record["evidence"]["candidate_value"]) == (True, False)


def test_texts_and_context_come_from_files(tmp_path: Path) -> None:
    (tmp_path / "oracle.txt").write_text("a|b\n")
    (tmp_path / "candidate.txt").write_text("[ab]\r\n", newline="")
    (tmp_path / "context.json").write_text('{"dialect": "python", "match": "search"}')
    arguments = ("verify", "regex", "@oracle.txt", "@candidate.txt", "--context", "context.json")
    assert truespec(*arguments, cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("verify", "poetry", "a", "a"), "unknown domain 'poetry'"),
        (("verify", "regex", "a", "a", "--timeout", "0"), "positive number of seconds"),
        (("verify", "regex", "a", "a", "--timeout", "nan"), "positive number of seconds"),
        (("verify", "regex", "a", "@missing.txt"), "missing.txt: No such file"),
        (("verify", "regex", "a", "a", "--context", "missing.json"), "missing.json: No such file"),
        (("verify", "regex", "a"), "Missing argument"),
        (("batch", "missing.jsonl", "-o", "x.jsonl"), "missing.jsonl: No such file"),
        (("data", "import", "poems", "--from", ".", "-o", "x"), "unknown data set 'poems'"),
    ],
)
def test_a_wrong_call_is_one_sentence_and_exit_code_2(
    arguments: tuple[str, ...], says: str, tmp_path: Path
) -> None:
    run = truespec(*arguments, cwd=tmp_path)
    assert run.returncode == 2
    assert says in run.stderr
    assert "Traceback" not in run.stderr


PAIRS = [
    {"id": "same", "domain": "regex", "oracle": "(a|b)*", "candidate": "(a*b*)*"},
    {"id": "other", "domain": "regex", "oracle": "a*", "candidate": "a+"},
    {"id": "broken", "domain": "regex", "oracle": "a*", "candidate": "a{2,1}"},
]


def recheck(folder: Path, records: list[dict[str, object]]) -> subprocess.CompletedProcess[str]:
    (folder / "rechecked.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return truespec("recheck", "rechecked.jsonl", "--pairs", "pairs.jsonl", cwd=folder)


def test_batch_and_recheck(tmp_path: Path) -> None:
    lines = [json.dumps(pair) for pair in PAIRS]
    (tmp_path / "pairs.jsonl").write_text("\n".join([*lines, "nonsense"]) + "\n")
    assert truespec("batch", "pairs.jsonl", "-o", "out.jsonl", cwd=tmp_path).returncode == 0
    records = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    run = recheck(tmp_path, records)
    assert run.returncode == 0, run
    assert "refuted, by" in run.stdout

    same, other, *rest = records
    moved = {**other["evidence"], "counterexample": {"string": "a"}}
    flipped = {**other["evidence"], "oracle_value": False}
    for name, tampered in {
        "wrong point": [same, {**other, "evidence": moved}, *rest],
        "wrong value": [same, {**other, "evidence": flipped}, *rest],
        "no evidence": [same, {**other, "evidence": None}, *rest],
        "false refutation": [{**other, "id": "same"}, *rest],
    }.items():
        run = recheck(tmp_path, tampered)
        assert run.returncode == 1, (name, run)
        assert "FAILED" in run.stdout


def test_recheck_of_proofs(tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in PAIRS))
    assert truespec("batch", "pairs.jsonl", "-o", "out.jsonl", cwd=tmp_path).returncode == 0
    same, other, _ = (json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines())
    run = recheck(tmp_path, [same])
    assert run.returncode == 0
    assert "confirmed" in run.stdout
    claimed = {**other, "answer": "equivalent", "relation": None, "evidence": same["evidence"]}
    run = recheck(tmp_path, [claimed])
    assert run.returncode == 1, run
    assert "FAILED" in run.stdout


def test_recheck_refuses_files_that_do_not_fit_together(tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text('{"id": "a", "domain": "regex", "oracle": "a", "candidate": "a"}\n')
    (tmp_path / "out.jsonl").write_text('{"id": "z"}\n')
    run = truespec("recheck", "out.jsonl", "--pairs", "pairs.jsonl", cwd=tmp_path)
    assert run.returncode == 2
    assert "no pair with the id 'z'" in run.stderr


def test_doctor_names_what_it_finds() -> None:
    run = truespec("doctor", "--json")
    report = json.loads(run.stdout)
    assert report["system"]["truespec"]
    assert {"Z3"} <= {row["tool"] for row in report["tools"]}
    assert run.returncode == 0
