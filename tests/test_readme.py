"""The README is true: its commands exist, and what it shows is what they print."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from needs import ROOT
from snapshot import steady
from truespec.cli.main import COMMANDS, truespec
from truespec.domains.registry import DOMAINS

README = (ROOT / "README.md").read_text(encoding="utf-8")
RUNS = re.findall(r"<!-- run -->\n```\n(.*?)```", README, flags=re.S)


def test_every_command_of_the_readme_exists() -> None:
    named = set(
        re.findall(r"\btruespec ([a-z]+)\b", "\n".join(re.findall(r"`[^`\n]+`|```.*?```", README, re.S)))
    )
    assert named <= set(COMMANDS)
    assert {"verify", "batch", "recheck", "doctor", "demo", "view"} <= named
    targets = set(re.findall(r"\bmake ([a-z]+)\b", README))
    assert targets >= {"demo", "test"}
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(re.search(rf"^{target}:", makefile, re.M) for target in targets)


def test_every_path_of_the_readme_exists() -> None:
    for path in re.findall(r"`((?:src|tests|docs)/[\w/.-]+|[A-Z]+\.md)`|\]\(([\w/.-]+)\)", README):
        assert (ROOT / (path[0] or path[1])).exists(), path


@pytest.mark.parametrize(
    "run", RUNS, ids=lambda run: run.split("truespec ")[1].split(" '")[0].replace(" ", "-")
)
def test_a_shown_command_prints_what_is_shown(
    run: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = re.split(r"^\$ (.*)\n", run, flags=re.M)[1:]
    for command, output in zip(shown[::2], shown[1::2], strict=True):
        words = shlex.split(command)
        if words[0] == "cat":
            Path(words[1]).write_text(output, encoding="utf-8")
            continue
        assert words[0] == "truespec"
        if words[2] not in DOMAINS:
            pytest.skip(f"the domain {words[2]} is not registered")
        result = CliRunner().invoke(truespec, words[1:])
        assert steady(result.output) == steady(output)


def test_the_record_of_the_readme_is_a_pair() -> None:
    record = re.search(r'`(\{"id".*?\})`', README)
    assert record
    assert {"id", "domain", "oracle", "candidate"} <= json.loads(record[1]).keys()
