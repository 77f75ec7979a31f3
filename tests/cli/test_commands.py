"""The commands as a user types them: exit codes, output, errors in one sentence."""

from __future__ import annotations

import json
import os
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
        (("verify", "poetry", "a", "a"), "'poetry' is not one of"),
        (("verify", "regex", "a", "a", "--timeout", "0"), "positive number of seconds"),
        (("verify", "regex", "a", "a", "--timeout", "nan"), "positive number of seconds"),
        (("verify", "regex", "a", "a", "--timeout", "1e9"), "below 1000000"),
        (("batch", "pairs.jsonl", "-o", "-", "--timeout", "1e9"), "below 1000000"),
        (("verify", "regex", "a", "@missing.txt"), "missing.txt: No such file"),
        (("verify", "regex", "a", "@[a-z]+"), "begins with @ has to stand in one"),
        (("verify", "regex", "a", "@" + "a" * 5000), "begins with @ has to stand in one"),
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
    counts = json.loads(
        truespec("recheck", "out.jsonl", "--pairs", "pairs.jsonl", "--json", cwd=tmp_path).stdout
    )
    assert counts["failed"] is None
    assert any(label.startswith("refuted, by") for label in counts["confirmed"])

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
    assert {"Z3", "Rocq (Coq)"} <= {row["tool"] for row in report["tools"]}
    broken = [row for row in report["tools"] if row["version"] is None and not row["optional"]]
    assert run.returncode == (1 if broken else 0)


@pytest.mark.parametrize("candidate", ["-k-(-h)", "-k+h", "-h"])
def test_a_text_that_begins_with_a_dash_asks_for_no_help(candidate: str, tmp_path: Path) -> None:
    context = {"variables": {"h": {"type": "int"}, "k": {"type": "int"}}}
    (tmp_path / "context.json").write_text(json.dumps(context))
    run = truespec("verify", "arith", "h-k", candidate, "--context", "context.json", cwd=tmp_path)
    assert run.returncode == (1 if candidate == "-h" else 0)
    assert run.stdout.startswith("refuted" if candidate == "-h" else "equivalent")


def test_texts_are_utf8_where_the_locale_is_not() -> None:
    command = [sys.executable, "-m", "truespec", "verify", "fol", "∀x ¬P(x)", "¬∃x P(x)"]
    bare = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    run = subprocess.run(command, capture_output=True, check=False, timeout=120, env=os.environ | bare)
    assert run.returncode == 0, run


@pytest.mark.parametrize(
    "arguments",
    [
        ("batch", "pairs.jsonl", "-o", "/dev/full"),
        ("batch", "pairs.jsonl", "-o", "missing/v.jsonl"),
        ("demo", "--out", "pairs.jsonl"),
        ("bench", "run", "--model", "python:os:getcwd", "--limit", "1", "-o", "pairs.jsonl"),
        ("rules", "compile", "--pack", "all", "-o", "missing/rules.json"),
        ("trace", "import", "pairs.jsonl", "-o", "missing/traces.jsonl"),
        ("trace", "check", "pairs.jsonl", "-o", "pairs.jsonl/artifacts.jsonl"),
    ],
)
def test_an_output_that_cannot_be_written_is_one_sentence(arguments: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text('{"id": "a", "domain": "regex", "oracle": "a", "candidate": "b"}\n')
    run = truespec(*arguments, cwd=tmp_path)
    assert run.returncode == 2, run
    assert "Traceback" not in run.stderr
    assert run.stderr.strip().splitlines()[-1].startswith("truespec: ")


def test_a_reader_that_goes_away_is_no_answer() -> None:
    command = f"'{sys.executable}' -m truespec verify regex a a | true; exit ${{PIPESTATUS[0]}}"
    run = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, timeout=120)
    assert run.returncode in (0, 141), run
    assert run.stderr == ""


def test_recheck_says_what_is_no_verdict_file(tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text('{"id": "a", "domain": "regex", "oracle": "a", "candidate": "b"}\n')
    (tmp_path / "none.jsonl").touch()
    run = truespec("recheck", "pairs.jsonl", "--pairs", "pairs.jsonl", cwd=tmp_path)
    assert (run.returncode, "no verdict record" in run.stderr) == (2, True), run
    run = truespec("recheck", "none.jsonl", "--pairs", "pairs.jsonl", cwd=tmp_path)
    assert (run.returncode, "nothing to check" in run.stdout) == (0, True), run


def test_a_model_in_the_current_folder(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "def answer(call):\n    return '```\\na\\n```'\n\ndef broken(call):\n    raise KeyError('no luck')\n"
    )
    script = str(Path(sys.executable).with_name("truespec"))
    bench = [script, "bench", "run", "--domain", "regex", "--limit", "1", "-o"]

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*bench, *arguments], capture_output=True, text=True, check=False, timeout=120, cwd=tmp_path
        )

    assert run("out", "--model", "python:nobody:answer").returncode == 2
    assert not (tmp_path / "out").exists()
    assert run("out", "--model", "python:mine:answer").returncode == 0
    failed = run("other", "--model", "python:mine:broken")
    assert (failed.returncode, "no luck" in failed.stdout) == (1, True), failed
