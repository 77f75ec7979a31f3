"""Changed files against their earlier versions: the commands, the hooks, the steps of the action."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from needs import ROOT, tool
from truespec.cli.main import truespec

SCHEMA = "CREATE TABLE t (a INTEGER PRIMARY KEY, b INTEGER NOT NULL);\n"
OLD = "SELECT a FROM t WHERE b > 1;\nSELECT DISTINCT a FROM t;\n"
SAME = "SELECT a FROM t WHERE 1 < b;\nSELECT a FROM t;\n"
OTHER = "SELECT a FROM t WHERE b >= 1;\nSELECT a FROM t;\n"
RULES = """rules:
- id: look-first
  text: Look the order up before you refund it.
  formal: {template: precedence, a: {call: get_order}, b: {call: refund}}
  kept:
  - [call: get_order, call: refund]
"""
WEAKER = RULES.replace("b: {call: refund}", "b: {call: refund, args: {amount: {gt: 9}}}").partition("  kept")[
    0
]
TRACE = json.dumps(
    [
        {"role": "user", "content": "hi"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "refund", "arguments": "{}"}}
            ],
        },
    ]
)


def git(folder: Path, *arguments: str) -> None:
    names = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org"}
    names |= {"GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.org"}
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, env=os.environ | names)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tool("git")
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "models").mkdir()
    for name, text in (("schema.sql", SCHEMA), ("models/q.sql", OLD), ("policy.yml", RULES)):
        (tmp_path / name).write_text(text)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "one")
    monkeypatch.chdir(tmp_path)
    # Two statements are compared by one worker: to load what verifies them costs more than they do.
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(truespec, ["hook", *arguments])


SQL = ["sql", "--schema", "schema.sql", "--dialect", "sqlite"]


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        (SAME, 0, "2 equivalent"),
        (OTHER, 1, "refuted      models/q.sql, line 1"),
        ("SELECT c FROM t;\n", 4, "no such column: c"),
        (OLD + "SELECT b FROM t;\n", 0, "added"),
        ("SELECT a FROM t WHERE b > random();\nSELECT DISTINCT a FROM t;\n", 3, "unknown"),
    ],
)
def test_a_changed_query_is_compared_with_its_version_at_head(
    repository: Path, text: str, code: int, says: str
) -> None:
    (repository / "models/q.sql").write_text(text)
    done = run(*SQL, "models/q.sql")
    assert (done.exit_code, says in done.output) == (code, True), done.output
    if code == 3:
        assert run(*SQL, "--allow-unknown", "models/q.sql").exit_code == 0


def test_new_files_and_the_schema_are_named_and_not_compared(repository: Path) -> None:
    (repository / "new.sql").write_text(OTHER)
    (repository / "schema.sql").write_text(SCHEMA + "CREATE TABLE u (c INT);\n")
    done = run(*SQL, "new.sql", "schema.sql")
    assert done.exit_code == 0, done.output
    assert "new          new.sql: HEAD has no version" in done.output
    assert "schema       schema.sql" in done.output


@pytest.mark.parametrize(
    ("text", "arguments", "code", "says"),
    [
        (RULES, [], 0, ""),
        (WEAKER, [], 1, "look-first: weaker"),
        (WEAKER, ["--fail-on", "nothing"], 0, "kept now, broken before"),
        ("rules: []\n", [], 1, "look-first: removed"),
    ],
)
def test_a_rule_that_became_weaker_is_named(
    repository: Path, text: str, arguments: list[str], code: int, says: str
) -> None:
    (repository / "policy.yml").write_text(text)
    done = run("rules", *arguments, "policy.yml")
    assert (done.exit_code, says in done.output) == (code, True), done.output


@pytest.mark.parametrize("base", ["no-such-commit", "--all"])
def test_a_wrong_base_is_a_wrong_call(repository: Path, base: str) -> None:
    done = run(*SQL, f"--base={base}", "models/q.sql")
    assert "git knows no commit" in str(done.exception)


def test_without_a_repository_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool("git")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    (tmp_path / "q.sql").write_text(OLD)
    (tmp_path / "schema.sql").write_text(SCHEMA)
    monkeypatch.chdir(tmp_path)
    assert "git repository" in str(run(*SQL, "q.sql").exception)


def test_settings_of_a_running_commit_do_not_mislead(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")
    (repository / "models/q.sql").write_text(OTHER)
    assert run(*SQL, "models/q.sql").exit_code == 1


def shell(script: str, folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path} | settings
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
ARGUMENTS = {
    "truespec-sql": (["--schema", "schema.sql", "--dialect", "sqlite"], "models/q.sql", OTHER),
    "truespec-rules": ([], "policy.yml", WEAKER),
    "truespec-rule-examples": ([], "policy.yml", RULES.replace("kept:", "broken:")),
    "truespec-traces": (["--rules", "policy.yml", "--fail-on", "medium"], "traces/a.json", TRACE),
}


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_the_entry_of_a_hook_fails_on_what_it_is_for(hook: dict[str, Any], repository: Path) -> None:
    arguments, name, text = ARGUMENTS[hook["id"]]
    assert re.search(hook["files"], name)
    (repository / name).parent.mkdir(exist_ok=True)
    (repository / name).write_text(text)
    done = shell(f"{hook['entry']} {shlex.join([*arguments, name])}", repository)
    assert done.returncode == 1, done.stdout + done.stderr
    assert Path(name).name in done.stdout + done.stderr


STEPS: list[dict[str, Any]] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["runs"]["steps"]


@pytest.mark.parametrize(
    ("name", "file", "good", "bad", "settings"),
    [
        ("SQL", "models/q.sql", SAME, OTHER, {"PATTERNS": "models/*.sql", "DIALECT": "sqlite"}),
        ("Rules", "policy.yml", RULES + "# a note\n", WEAKER, {"PATTERNS": "*.yml"}),
        ("Traces", "traces/a.json", TRACE.replace("refund", "get_order"), TRACE, {"TRACES": "traces"}),
    ],
)
def test_a_step_of_the_action_fails_on_what_it_is_for(
    name: str, file: str, good: str, bad: str, settings: dict[str, str], repository: Path
) -> None:
    (step,) = [step for step in STEPS if step["name"] == name]
    told = {
        "BASE": "HEAD",
        "SCHEMA": "schema.sql",
        "SARIF": "out",
        "RULES": "policy.yml",
        "FAIL_ON": "medium",
    }
    told |= settings
    assert set(step["env"]) <= set(told)
    if name != "Traces":
        nothing = shell(step["run"], repository, **told)
        assert (nothing.returncode, "changed" in nothing.stdout) == (0, True), nothing.stderr
    (repository / file).parent.mkdir(exist_ok=True)
    (repository / file).write_text(good)
    done = shell(step["run"], repository, **told)
    assert done.returncode == 0, done.stdout + done.stderr
    (repository / file).write_text(bad)
    done = shell(step["run"], repository, **told)
    assert done.returncode == 1, done.stdout + done.stderr
    for made in (repository / "out").glob("*.sarif"):
        assert json.loads(made.read_text())["runs"][0]["results"]


def test_a_step_of_the_action_finds_all_that_changed(repository: Path) -> None:
    (step,) = [step for step in STEPS if step["name"] == "SQL"]
    told = {"BASE": "HEAD", "SCHEMA": "schema.sql", "SARIF": "out", "DIALECT": "sqlite"}
    missing = shell(step["run"], repository, **told | {"BASE": "origin/none", "PATTERNS": "*.sql"})
    assert (missing.returncode, "knows no commit 'origin/none'" in missing.stdout) == (2, True)
    (repository / "models/q.sql").write_text(OTHER)
    done = shell(step["run"], repository, **told | {"PATTERNS": "other/*.sql\nmodels/*.sql\n"})
    assert done.returncode == 1, done.stdout + done.stderr
    # What the base gained since is no change of this branch.
    for command in ("checkout -q models", "branch work", "rm -q models/q.sql", "commit -q -m gone"):
        assert shell(f"git {command}", repository).returncode == 0
    (repository / "models").mkdir(exist_ok=True)
    assert shell("git tag ahead && git checkout -q work", repository).returncode == 0
    done = shell(step["run"], repository, **told | {"BASE": "ahead", "PATTERNS": "models/*.sql"})
    assert "no SQL file changed" in done.stdout, done.stdout + done.stderr


def test_the_action_passes_inputs_by_the_environment_alone() -> None:
    assert not any("${{" in step["run"] for step in STEPS)
