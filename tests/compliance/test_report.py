from __future__ import annotations

import json
from pathlib import Path

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
    index = (out / "index.html").read_text()
    assert page.name in index
    assert "http" not in index.replace("http-equiv", "")


def test_intervals() -> None:
    low, high = Share(5, 10).interval or (0.0, 0.0)
    assert (round(low, 4), round(high, 4)) == (0.2366, 0.7634)
    assert Share(0, 0).value is None
    assert str(Share(0, 0)) == "–"
