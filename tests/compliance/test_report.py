from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from truespec.cli.trace import trace as command
from truespec.reports.trace_tables import Share


def test_pages_show_each_violation_at_its_message_and_hide_what_is_asked(tmp_path: Path) -> None:
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "book", "arguments": '{"mail": "ada@example.org"}'},
    }
    messages = [
        {"role": "user", "content": "<script>alert(1)</script> ada@example.org"},
        {"role": "assistant", "content": "I book.", "tool_calls": [call]},
    ]
    (tmp_path / "t.json").write_text(json.dumps(messages))
    run, out = tmp_path / "run.jsonl", tmp_path / "report"
    runner = CliRunner()
    checked = runner.invoke(
        command, ["check", str(tmp_path / "t.json"), "--pack", "no_text_with_call", "-o", str(run)]
    )
    assert checked.exit_code == 0
    made = runner.invoke(command, ["report", str(run), "-o", str(out), "--redact", "email"])
    assert made.exit_code == 0, made.output
    (page,) = (out / "traces").iterdir()
    text = page.read_text()
    assert "ada@example.org" not in text
    assert "<script>" not in text
    assert text.count("no-text-with-call") == 1 + text.count("broken: no-text-with-call")
    assert text.index("I book.") < text.index('<div class="mark">')
    assert "Score <b>96</b>" in text
    assert "Each act charged once: <b>96</b>" in text
    assert "Without a rule: transition spec, " in text
    assert "no rule of this kind" not in text
    index = (out / "index.html").read_text()
    assert page.name in index
    assert '<svg class="shares"' in index
    assert "http" not in index.replace("http-equiv", "")


def test_pages_say_which_rules_were_not_evaluated_and_why(tmp_path: Path) -> None:
    function = {"name": "pay", "arguments": json.dumps({"amount": "12 or ada@example.org"})}
    messages = [{"role": "assistant", "tool_calls": [{"id": "1", "function": function}]}]
    (tmp_path / "t.json").write_text(json.dumps(messages))
    absence = "formal: {template: absence, a: {call: pay"
    (tmp_path / "r.yml").write_text(
        f"- {{id: cap, text: t, required: true, {absence}, args: {{amount: {{gt: 100}}}}}}}}}}\n"
        f"- {{id: away, text: t, domains: retail, {absence}}}}}}}\n- {{id: never, text: t, {absence}}}}}}}\n"
    )
    run, out, runner = tmp_path / "run.jsonl", tmp_path / "report", CliRunner()
    runner.invoke(
        command, ["check", str(tmp_path / "t.json"), "--rules", str(tmp_path / "r.yml"), "-o", str(run)]
    )
    made = runner.invoke(command, ["report", str(run), "-o", str(out), "--redact", "email"])
    assert made.exit_code == 0, made.output
    (page,) = (out / "traces").iterdir()
    text = page.read_text()
    assert "Not evaluated: 2 rules" in text
    assert (
        "<code>cap</code> (required): message 0, pay: amount: &#39;12 or &lt;email-1&gt;&#39; is no number"
        in text
    )
    assert "ada@example.org" not in text


def test_the_index_opens_with_what_to_fix_first(tmp_path: Path) -> None:
    rules = [
        {"id": f"no-{tool}", "text": f"Never {tool}.", "severity": severity}
        | {"formal": {"template": "absence", "a": {"call": tool}}}
        for tool, severity in (("note", "low"), ("pay", "critical"), ("book", "high"))
    ]
    (tmp_path / "policy.yml").write_text(json.dumps({"truespec_rules": 1, "rules": rules}))
    calls = [
        {"id": tool, "type": "function", "function": {"name": tool, "arguments": "{}"}}
        for tool in ("note", "book", "pay")
    ]
    messages = [{"role": "user", "content": "go"}] + [
        {"role": "assistant", "content": None, "tool_calls": [call]} for call in calls
    ]
    (tmp_path / "t.json").write_text(json.dumps(messages))
    run, runner = tmp_path / "run.jsonl", CliRunner()
    check = ["check", str(tmp_path / "t.json"), "--rules", str(tmp_path / "policy.yml"), "-o", str(run)]

    def index() -> str:
        assert runner.invoke(command, ["report", str(run), "-o", str(tmp_path / "out")]).exit_code == 0
        return (tmp_path / "out" / "index.html").read_text("utf-8").split("Models and environments")[0]

    assert runner.invoke(command, check).exit_code == 0
    shown = index()
    assert [shown.index(f"<code>no-{tool}") for tool in ("pay", "book", "note")] == sorted(
        shown.index(f"<code>no-{tool}") for tool in ("pay", "book", "note")
    )
    (page,) = (tmp_path / "out" / "traces").glob("*.html")
    assert f'href="traces/{page.name}#m3"' in shown
    assert 'id="m3"' in page.read_text("utf-8")
    known = tmp_path / "known.json"
    assert runner.invoke(command, ["accept", str(run), "-o", str(known), "--rule", "no-pay"]).exit_code == 0
    run.unlink()
    assert runner.invoke(command, [*check, "--baseline", str(known)]).exit_code == 0
    shown = index()
    assert "<code>no-pay" not in shown
    assert "<code>no-book" in shown


def test_only_traces_with_findings_get_a_page_unless_asked(tmp_path: Path) -> None:
    messages = [{"role": "system", "content": "Be brief. " * 100}, {"role": "user", "content": "Hello"}]
    (tmp_path / "t.json").write_text(json.dumps(messages))
    run, out = tmp_path / "run.jsonl", tmp_path / "report"
    runner = CliRunner()
    runner.invoke(command, ["check", str(tmp_path / "t.json"), "--pack", "no_text_with_call", "-o", str(run)])
    runner.invoke(command, ["report", str(run), "-o", str(out)])
    assert not list((out / "traces").iterdir())
    assert "have no page" in (out / "index.html").read_text()
    runner.invoke(command, ["report", str(run), "-o", str(out), "--pages", "all"])
    pages = {path.name: path.read_text() for path in (out / "traces").iterdir()}
    (prompt,) = (name for name in pages if name.startswith("prompt-"))
    (page,) = (text for name, text in pages.items() if name != prompt)
    assert f'href="{prompt}"' in page
    assert "Be brief." not in page


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupted_check_goes_on_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: str
) -> None:
    from truespec.executors import trace_check, trace_input

    for name in "abcd":
        (tmp_path / f"{name}.json").write_text(json.dumps([{"role": "user", "content": name}]))
    run = tmp_path / "run.jsonl"
    whole = trace_input.sources_of

    def stopped(*arguments: Any, **options: Any) -> Iterator[Any]:
        for number, item in enumerate(whole(*arguments, **options)):
            if number == 2:
                raise KeyboardInterrupt
            yield item

    files = (str(tmp_path / f"{name}.json") for name in "abcd")
    check = ["check", *files, "--pack", "loops", "--jobs", jobs, "-o", str(run)]
    runner = CliRunner()
    # One process reads traces; of several, this one hands out files.
    for module in (trace_check, trace_input):
        monkeypatch.setattr(module, "sources_of", stopped)
    first = runner.invoke(command, check)
    assert first.exit_code == 130
    assert "stopped after 2 traces" in first.output
    assert "--resume" in first.output
    for module in (trace_check, trace_input):
        monkeypatch.setattr(module, "sources_of", whole)
    assert runner.invoke(command, [*check, "--resume"]).exit_code == 0
    kept = run.read_text().splitlines()
    assert len(kept) == 4
    # An interruption while resuming loses nothing either.
    for module in (trace_check, trace_input):
        monkeypatch.setattr(module, "sources_of", stopped)
    assert runner.invoke(command, [*check, "--resume"]).exit_code == 130
    assert sorted(run.read_text().splitlines()) == sorted(kept)


def test_intervals() -> None:
    low, high = Share(5, 10).interval or (0.0, 0.0)
    assert (round(low, 4), round(high, 4)) == (0.2366, 0.7634)
    assert Share(0, 0).value is None
    assert str(Share(0, 0)) == "–"
