"""The pages on judges, labels and accepted violations, in a real browser: flows, keyboard, both widths."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from serve.conftest import TOKEN, accessible, opened, served
from serve.test_runs import HOSTILE, RULES, TRACE
from truespec import verify
from truespec.cli.main import truespec
from truespec.compliance.baseline import read_baseline
from truespec.serve.runs import run_of

pytestmark = [pytest.mark.live, pytest.mark.slow]

TEXTS = {"right": "[ab]", "wrong": "a", "hostile": HOSTILE}
SAID = {"right": "reject", "wrong": "accept", "hostile": "reject"}


def _study(folder: Path) -> None:
    tasks, answers, judgements, pairs, verdicts = [], [], [], [], []
    for name, text in TEXTS.items():
        verdict = verify("regex", oracle="a|b", candidate=text, timeout=60.0).to_json()
        names = {"task": name, "domain": "regex", "model": "m", "epoch": 0}
        task = {"id": name, "domain": "regex", "statement": f"Either letter. {HOSTILE}", "oracle": "a|b"}
        tasks.append({**task, "context": {}})
        answers.append({"id": name, **names, "candidate": text, "reply": {"text": text}, "verdict": verdict})
        pairs.append({"id": name, "domain": "regex", "oracle": "a|b", "candidate": text})
        verdicts.append({"id": name, **verdict})
        for kind, count in (("formalization", 1), ("equivalence", 2)):
            replies = [{"text": f"Letters are letters, {n}. {HOSTILE}"} for n in range(count)]
            said: dict[str, Any] = {"judge": "j", "kind": kind, "judgement": SAID[name], "replies": replies}
            judgements.append({**names, **said, "scores": [1] * count, "problems": [""] * count})
    made: dict[str, list[Any]] = {
        "tasks": tasks,
        "answers": answers,
        "judgements": judgements,
        "pairs": pairs,
    }
    for file, records in {**made, "verdicts": verdicts}.items():
        (folder / f"{file}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("study")
    _study(made)
    (made / "trace.json").write_text(json.dumps([*TRACE, *TRACE[1:]]))
    (made / "policy.yml").write_text(RULES)
    command = ["trace", "check", str(made / "trace.json"), "--rules", str(made / "policy.yml"), "--compact"]
    result = CliRunner().invoke(truespec, [*command, "-o", str(made / "found.jsonl")])
    assert result.exit_code == 0, result.output
    return made


def _follow(page: Any, selector: str) -> None:
    """Click, and wait for the page that follows: a click alone may return before it is there."""
    with page.expect_navigation():
        page.click(selector)


@pytest.fixture(scope="module")
def pages(folder: Path, browser: Any) -> Iterator[Any]:
    runs = [run_of(folder), run_of(folder / "found.jsonl")]
    marks = {"labels": folder / "labels.jsonl", "baseline": folder / "known.json"}
    with served(runs, studies=[folder], **marks) as address:
        yield partial(opened, browser, address)


def test_disagreements_come_first_and_read_without_scripts(pages: Any) -> None:
    page = pages("/study", java_script_enabled=False)
    _follow(page, "text=study")
    standings = [row.split("\t")[1] for row in page.locator("tbody tr").all_inner_texts()]
    assert standings == ["false accept"] * 2 + ["false reject"] * 2 + ["agree"] * 2
    page.select_option("select[name=kind]", "equivalence")
    _follow(page, "button[type=submit]")
    assert "3 of 6" in page.inner_text(".count")
    _follow(page, "tbody a")
    assert page.inner_text("h1") == "wrong"
    assert "False accept" in page.inner_text(".standing")
    assert "refuted" in page.inner_text("#verdict")
    assert page.locator("#words pre").count() == 2
    assert "oracle first" in page.inner_text("#words")
    _follow(page, "text=Next")
    assert page.inner_text("h1") == "right"
    assert "kind=equivalence" in page.url


def test_a_judgement_is_labelled_by_keyboard_and_exported(pages: Any, folder: Path) -> None:
    page = pages("/study/1?standing=false+accept")
    _follow(page, "tbody a")
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.name") == "label":
            break
    page.keyboard.type("verdict")
    page.keyboard.press("Tab")
    page.keyboard.type("a letter is missing")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Labelled at")
    assert "standing=false+accept" in page.url
    assert page.input_value("select[name=label]") == "verdict is right"
    kept = json.loads((folder / "labels.jsonl").read_text().splitlines()[-1])
    assert (kept["label"], kept["note"]) == ("verdict is right", "a letter is missing")
    assert (kept["facts"]["judgement"], kept["facts"]["answer"]) == ("accept", "refuted")
    origin = page.url.partition("/study")[0]
    page.goto(origin + "/study/1?label=verdict+is+right")
    assert "1 of 6" in page.inner_text(".count")
    page.goto(origin + "/study/1?label=none")
    assert "5 of 6" in page.inner_text(".count")
    exported = page.context.request.get(origin + "/labels.csv")
    assert "a letter is missing" in exported.text()
    assert "attachment" in exported.headers["content-disposition"]


def test_a_pair_is_labelled(pages: Any, folder: Path) -> None:
    page = pages("/runs/1/2")
    page.select_option("select[name=label]", "right")
    page.click("text=Save label")
    page.wait_for_selector("text=Labelled at")
    kept = json.loads((folder / "labels.jsonl").read_text().splitlines()[-1])
    assert (kept["record"], kept["label"], kept["facts"]["answer"]) == ("wrong", "right", "refuted")


def test_one_violation_is_accepted_into_the_baseline(pages: Any, folder: Path) -> None:
    page = pages("/runs/2/1", java_script_enabled=False)
    assert page.locator("text=Accept into the baseline").count() == 2
    page.fill("#v2 input[name=reason]", "agreed with the bank")
    _follow(page, "#v2 button")
    assert page.locator("text=Accept into the baseline").count() == 1
    assert "accepted: agreed with the bank" in page.inner_text("#v2")
    assert [one.reason for one in read_baseline(folder / "known.json").entries.values()] == [
        "agreed with the bank"
    ]


def test_a_form_of_another_page_writes_nothing(pages: Any, folder: Path) -> None:
    page = pages("/study")
    origin = page.url.removesuffix("/study")
    before = (folder / "labels.jsonl").read_text() if (folder / "labels.jsonl").exists() else ""
    for path in ("/study/1/1/label", "/runs/1/1/label", "/runs/2/1/accept"):
        for form in ({"label": "right"}, {"label": "right", "key": "guessed"}):
            answer = page.context.request.post(origin + path, form=form)
            assert answer.status == 403, path
    long = page.context.request.post(origin + "/runs/1/1/label", form={"note": "a" * 30_000})
    assert long.status == 413
    assert ((folder / "labels.jsonl").read_text() if (folder / "labels.jsonl").exists() else "") == before


def test_hostile_texts_stay_texts(pages: Any) -> None:
    page = pages("/study")
    origin = page.url.removesuffix("/study")
    for path in ("/study", "/study/1", *(f"/study/1/{n}" for n in range(1, 7))):
        page.goto(origin + path)
        assert page.title() != "hacked"
        assert page.locator("main img, main script").count() == 0


def test_pages_are_accessible_and_do_not_overflow(pages: Any) -> None:
    page = pages("/study", bypass_csp=True)
    origin = page.url.removesuffix("/study")
    paths = ("/study", "/study/1", "/study/1/3", "/study/1/6", "/runs/1/2", "/runs/2/1")
    accessible(page, [origin + path for path in paths])


@pytest.mark.parametrize("path", ["/study/9", "/study/1/99", "/study/1/0"])
def test_what_is_not_there_is_said(pages: Any, path: str) -> None:
    page = pages("/study")
    answer = page.goto(page.url.removesuffix("/study") + path)
    assert answer.status == 404
    assert "no study" in answer.text() or "no judgement" in answer.text()


def test_without_a_file_nothing_is_written(folder: Path) -> None:
    with served([run_of(folder)], studies=[folder]) as address:
        headers = {"authorization": f"Bearer {TOKEN}"}
        for path, says in (("/study/1/1", "--labels FILE"), ("/runs/1/1", "--labels FILE")):
            with urllib.request.urlopen(urllib.request.Request(address + path, headers=headers)) as answer:
                text = answer.read().decode()
            assert says in text
            assert "<button" not in text
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(urllib.request.Request(address + "/labels.csv", headers=headers))
