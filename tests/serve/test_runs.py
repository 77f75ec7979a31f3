"""The pages on runs, in a real browser: lists, addresses, both widths, without scripts, hostile records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from serve.conftest import accessible, opened, served
from truespec.cli.main import truespec
from truespec.serve.runs import run_of
from truespec.verdict import UsageError

pytestmark = [pytest.mark.live, pytest.mark.slow]

HOSTILE = '<script>document.title="hacked"</script><img src=x onerror="document.title=1">\u202e'
PAIRS: list[dict[str, Any]] = [
    {"id": "plus", "domain": "regex", "oracle": "a*", "candidate": "a+"},
    {"id": "same", "domain": "regex", "oracle": "a|b", "candidate": "[ab]"},
    {"id": HOSTILE, "domain": "regex", "oracle": HOSTILE, "candidate": "a", "context": {"flags": "s"}},
    *(
        {"id": f"n{n}", "domain": "regex", "oracle": f"a{{{n}}}", "candidate": f"b{{{n}}}"}
        for n in range(1, 58)
    ),
]
TRACE = [
    {"role": "user", "content": "hi"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "1", "type": "function", "function": {"name": "refund", "arguments": "{}"}}],
    },
]
RULES = """rules:
- {id: never, text: Never refund., severity: high, formal: {template: absence, a: {call: refund}}}
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Path, Path | None]]:
    folder = tmp_path_factory.mktemp("runs")
    pairs, verdicts = folder / "pairs.jsonl", folder / "verdicts.jsonl"
    pairs.write_text("".join(json.dumps(one) + "\n" for one in PAIRS))
    (folder / "trace.json").write_text(json.dumps(TRACE))
    (folder / "policy.yml").write_text(RULES)
    for command in (
        ["batch", str(pairs), "-o", str(verdicts), "--jobs", "1"],
        ["trace", "check", str(folder / "trace.json"), "--rules", str(folder / "policy.yml"), "--compact"],
    ):
        output = ["-o", str(folder / "found.jsonl")] if command[0] == "trace" else []
        result = CliRunner().invoke(truespec, [*command, *output])
        assert result.exit_code == 0, result.output
    again = folder / "again.jsonl"
    lines = [json.loads(line) for line in verdicts.read_text().splitlines()]
    lines[0] |= {"answer": "unknown", "relation": None, "evidence": None}
    lines[0]["reason"] = {"code": "timeout", "detail": "4 s"}
    again.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return [run_of(folder), run_of(folder / "found.jsonl"), run_of(again)]


@pytest.fixture(scope="module")
def pages(runs: list[tuple[Path, Path | None]], browser: Any) -> Iterator[Any]:
    with served(runs) as address:
        yield partial(opened, browser, address)


def test_a_list_is_filtered_by_its_address_without_scripts(pages: Any) -> None:
    page = pages("/runs", java_script_enabled=False)
    page.click("text=equivalent 1")
    assert page.locator("tbody tr").count() == 1
    page.goto(page.url.partition("?")[0])
    assert "60 of 60" in page.inner_text(".count")
    page.click("text=Next")
    assert page.locator("tbody tr").count() == 10
    page.fill("input[name=text]", "A{17}")
    page.click("button[type=submit]")
    page.click("tbody a")
    assert page.inner_text("h1") == "n17"
    assert "refuted" in page.inner_text("#verdict")
    page.click("text=Try this pair")
    assert page.input_value("textarea[name=candidate]") == "b{17}"


def test_each_violation_has_its_address(pages: Any) -> None:
    page = pages("/runs/2")
    assert "1 of 1" in page.inner_text(".count")
    page.click("tbody a")
    assert "high · no effect known · message 1" in page.inner_text("#v1")
    assert "Never refund." in page.inner_text("#v1 .statement")
    assert "refund" in page.inner_text("#v1 pre")


def test_two_runs_are_compared(pages: Any) -> None:
    page = pages("/compare?old=1&new=3")
    assert page.locator("tbody tr").count() == 1
    assert page.inner_text("tbody tr").split("\t")[-2:] == ["refuted", "unknown"]


def test_pages_are_accessible_and_do_not_overflow(pages: Any) -> None:
    page = pages("/runs", bypass_csp=True)
    origin = page.url.removesuffix("/runs")
    paths = ("/runs", "/runs/1", "/runs/1/1", "/runs/1/3", "/runs/2/1", "/compare?old=1&new=3")
    accessible(page, [origin + path for path in paths])


def test_hostile_records_stay_texts(pages: Any) -> None:
    page = pages("/runs/1/3")
    assert page.title() != "hacked"
    assert page.locator("main img, main script").count() == 0
    page = pages("/runs/1")
    assert page.locator("main img, main script").count() == 0
    assert "hacked" in page.inner_text("tbody")


@pytest.mark.parametrize("path", ["/runs/9", "/runs/1/999", "/compare?old=1&new=x"])
def test_what_is_not_there_is_said(pages: Any, path: str) -> None:
    page = pages("/runs")
    answer = page.goto(page.url.removesuffix("/runs") + path)
    assert answer.status == 404
    assert "there is no run" in answer.text() or "has no record" in answer.text()


def test_a_run_that_cannot_be_shown_is_a_wrong_call(tmp_path: Path) -> None:
    (tmp_path / "v.parquet").write_bytes(b"PAR1")
    for path, says in ((tmp_path, "holds no verdicts"), (tmp_path / "x", "no such file")):
        with pytest.raises(UsageError, match=says):
            run_of(path)
    with pytest.raises(UsageError, match="flat table"):
        run_of(tmp_path / "v.parquet")
