"""`truespec data import`: its counts for people and for scripts."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from truespec.cli.data import data


def test_json_counts_what_was_read_and_why_the_rest_was_not(tmp_path: Path) -> None:
    home = tmp_path / "fol" / "folio_v0"
    home.mkdir(parents=True)
    record = {"premises": ["Rex is a dog."], "premises-FOL": ["Dog(rex)"], "label": "True"}
    record |= {"conclusion": "Rex barks.", "conclusion-FOL": "Bark(rex)"}
    (home / "folio-validation.jsonl").write_text(json.dumps(record) + "\n{broken", encoding="utf-8")
    output = tmp_path / "out"
    arguments = ["import", "folio", "--from", str(tmp_path / "fol"), "-o", str(output), "--json"]
    result = CliRunner().invoke(data, arguments, catch_exceptions=False)
    told = json.loads(result.stdout)
    assert (told["source"], told["output"]) == ("folio", str(output))
    assert told["tasks"] == len((output / "tasks.jsonl").read_text("utf-8").splitlines()) > 0
    assert told["skipped"] == len((output / "skipped.jsonl").read_text("utf-8").splitlines()) == 1
    assert sum(told["reasons"].values()) == 1
