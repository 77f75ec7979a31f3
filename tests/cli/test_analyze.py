"""`truespec trace select`, `check` and `analyze`, one after the other, on a small corpus."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

import needs
from truespec.cli.trace import trace as command

RULE = "- {id: shout, text: Do not shout., formal: {template: absence, a: {message: assistant, text: '!'}}}\n"


def results(path: Path, model: str, shouts: int) -> None:
    """A tau2-bench file: half of 20 runs fail, and so many shout."""
    runs = [
        {
            "id": f"{model}-{n}", "task_id": str(n // 2), "duration": 3.0, "agent_cost": 0.01,
            "reward_info": {"reward": float(n % 2), "db_check": {"db_match": bool(n % 2)}},
            "messages": [
                {"role": "user", "content": "<script>alert(1)</script>"},
                {"role": "assistant", "content": "Done!" if n < shouts else "Done."},
            ] * (1 + n % 5),
        }
        for n in range(20)
    ]  # fmt: skip
    info = {"agent_info": {"llm": model}, "environment_info": {"domain_name": "shop", "policy": "Be calm."}}
    path.write_text(
        json.dumps({"info": info, "tasks": [{"id": str(n)} for n in range(10)], "simulations": runs})
    )


def invoke(*arguments: str) -> str:
    found = CliRunner().invoke(command, list(arguments))
    assert found.exit_code == 0, (found.output, found.exception)
    return found.output


def test_lines_that_are_left_out_are_told(tmp_path: Path) -> None:
    results(tmp_path / "one.json", "calm", 1)
    (tmp_path / "r.yml").write_text(RULE)
    run = tmp_path / "run.jsonl"
    invoke("check", str(tmp_path / "one.json"), "--rules", str(tmp_path / "r.yml"), "-o", str(run))
    lines = run.read_text().splitlines(keepends=True)
    assert len(lines) == 20
    run.write_text("".join([*lines[:5], '{"other": 1}\n', "[]\n", *lines[5:15], "{\n", *lines[15:]]))
    found = CliRunner().invoke(command, ["compare", str(run), str(run), "--json"])
    assert found.exit_code == 0
    assert found.stderr.count(f"{run}: line 6: no artifact of 'truespec trace check'") == 2
    assert f"{run}: line 7: no JSON object, so it is left out" in found.stderr
    assert f"{run}: line 18: no JSON, so this line and all below it are left out" in found.stderr
    run.write_text("".join(lines).rstrip("\n"))
    analysed = CliRunner().invoke(command, ["analyze", str(run), "-o", str(tmp_path / "out")])
    assert analysed.exit_code == 0
    assert f"{run}: line 20: cut short, so it is left out" in analysed.stderr


def test_from_results_to_a_page(tmp_path: Path) -> None:
    results(tmp_path / "one.json", "calm", 1)
    results(tmp_path / "two.json", "loud", 19)
    (tmp_path / "r.yml").write_text(RULE)
    chosen = tmp_path / "chosen.jsonl"
    said = invoke(
        "select", str(tmp_path / "one.json"), str(tmp_path / "two.json"), "-o", str(chosen), "--each", "10"
    )
    assert "shop, calm: 10 traces, 4 with a perfect outcome" in said
    assert len(chosen.read_text().splitlines()) == 20
    for name, path in (("now", "two.json"), ("before", "one.json"), ("some", "chosen.jsonl")):
        invoke(
            "check",
            str(tmp_path / path),
            "--rules",
            str(tmp_path / "r.yml"),
            "-o",
            str(tmp_path / f"{name}.jsonl"),
        )
    artifact = json.loads((tmp_path / "now.jsonl").read_text().splitlines()[0])
    assert artifact["usage"] == {"cost": 0.01, "seconds": 3.0, "calls": 0}
    said = invoke("analyze", str(tmp_path / "some.jsonl"), "-o", str(tmp_path / "some"))
    assert "1 of 1 comparisons" in said or "2 of 2 comparisons" in said
    page = (tmp_path / "some" / "index.html").read_text()
    assert "<script" not in page
    assert "Figure 5" in page
    links = [link.partition("#") for link in re.findall(r'<a href="([^"]*)"', page)]
    assert len(links) > 3  # of the digest and of the traces with a perfect outcome
    for file, _, place in links:
        text = (tmp_path / "some" / file).read_text()
        assert not place or f'id="{place}"' in text
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")
    summary = json.loads((tmp_path / "some" / "summary.json").read_text())
    assert summary["hidden"]["solved"]["total"] == 8
    printed = invoke("analyze", str(tmp_path / "some.jsonl"), "-o", str(tmp_path / "some"), "--json")
    assert json.loads(printed) == summary
    tables = {path.stem for path in (tmp_path / "some" / "tables").glob("*.csv")}
    assert {"digest", "classifiers", "models", "profiles", "hidden-kinds", "costs"} <= tables


def test_an_older_run_shows_what_got_worse(tmp_path: Path) -> None:
    (tmp_path / "r.yml").write_text(RULE)
    for name, shouts in (("before", 1), ("now", 19)):
        results(tmp_path / f"{name}.json", "same", shouts)
        invoke("check", str(tmp_path / f"{name}.json"), "--rules", str(tmp_path / "r.yml"), "-o",
               str(tmp_path / f"{name}.jsonl"))  # fmt: skip
    said = invoke("analyze", str(tmp_path / "now.jsonl"), "-o", str(tmp_path / "out"), "--against",
                  str(tmp_path / "before.jsonl"))  # fmt: skip
    assert "surely more frequent: 1; tasks that got worse: 10." in said
    assert "Tasks that got worse" in (tmp_path / "out" / "index.html").read_text()
    invoke("report", str(tmp_path / "now.jsonl"), "-o", str(tmp_path / "report"))
    folder = tmp_path / "linked"
    invoke("analyze", str(tmp_path / "now.jsonl"), "-o", str(folder), "--report", str(tmp_path / "report"),
           "--against", str(tmp_path / "before.jsonl"))  # fmt: skip
    page = (folder / "index.html").read_text()
    links = [link.partition("#")[0] for link in re.findall(r'<a href="(\.\./[^"]*)"', page)]
    assert len(links) > 20  # each of the ten tasks that got worse, and each perfect trace twice
    assert all((folder / link).is_file() for link in links)
    assert not (folder / "traces").exists()
    app = "http://127.0.0.1:8000/runs/1"
    invoke("analyze", str(tmp_path / "now.jsonl"), "-o", str(folder), "--app", app)
    assert f'<a href="{app}?text=same-1">' in (folder / "index.html").read_text()


def test_links_lead_to_one_place(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_text("{}")
    for options in (["--app", "x:1"], ["--app", "http://a/runs/1", "--report", str(tmp_path)]):
        arguments = ["analyze", str(tmp_path / "run.jsonl"), "-o", str(tmp_path / "out"), *options]
        assert CliRunner().invoke(command, arguments).exit_code == 2


def test_judges_stand_beside_each_other_with_their_cost(tmp_path: Path) -> None:
    results(tmp_path / "one.json", "calm", 4)
    (tmp_path / "r.yml").write_text(RULE)
    run = tmp_path / "a.jsonl"
    invoke("check", str(tmp_path / "one.json"), "--rules", str(tmp_path / "r.yml"), "-o", str(run))
    dear, mute = tmp_path / "b.jsonl", tmp_path / "c.jsonl"
    records = [json.loads(line) for line in run.read_text().splitlines()]
    for path, cost in ((dear, 0.5), (mute, None)):
        judged = {"model": path.stem, "cost": cost, "input_tokens": 90, "output_tokens": 10}
        path.write_text("".join(json.dumps({**one, "judged": judged}) + "\n" for one in records))
    invoke("analyze", str(run), "-o", str(tmp_path / "out"), "--beside", str(dear), "--beside", str(mute))
    lines = (tmp_path / "out" / "tables" / "judge-runs.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines[1:]] == ["monitors alone", "b", "c"]
    assert lines[1].endswith("0.0000,0")
    assert lines[2].endswith("0.5000,100")
    assert lines[3].endswith("–,100")


def test_what_holds_no_artifacts_is_said(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text('{"key": "a"}\n[]\n')
    found = CliRunner().invoke(
        command, ["analyze", str(tmp_path / "empty.jsonl"), "-o", str(tmp_path / "out")]
    )
    assert found.exit_code != 0
    assert "holds no artifacts" in str(found.exception)


CUT = """[...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth + 1)
.map(e => e.querySelector('th').textContent)"""


@pytest.mark.live
def test_no_column_is_cut_and_the_pages_are_accessible(tmp_path: Path) -> None:
    needs.tool("chromium")
    needs.module("playwright")
    from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
    from playwright.sync_api import sync_playwright

    (tmp_path / "traces").mkdir()
    for number in range(3):
        model = f"azure/a-model-with-a-long-name-{number}"
        results(tmp_path / "traces" / f"{number}.json", model, 6 * number)
    (tmp_path / "r.yml").write_text(RULE)
    run = str(tmp_path / "run.jsonl")
    rules = ("--rules", str(tmp_path / "r.yml"), "--pack", "airline", "--pack", "loops")
    invoke("check", str(tmp_path / "traces"), *rules, "-o", run)
    invoke("analyze", run, "-o", str(tmp_path / "analysis"))
    invoke("report", run, "-o", str(tmp_path / "report"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for width in (390, 1400):
            context = browser.new_context(viewport={"width": width, "height": 900}, bypass_csp=True)
            page = context.new_page()
            for name in ("analysis", "report"):
                page.goto((tmp_path / name / "index.html").as_uri())
                assert page.evaluate("document.documentElement.scrollWidth") <= width
                assert width == 390 or page.evaluate(CUT) == []
                found = Axe().run(page)
                assert found.violations_count == 0, found.generate_report()
        browser.close()
