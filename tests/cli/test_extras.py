"""A command whose extra is not installed names the extra."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from truespec.cli.main import truespec
from truespec.verdict import UsageError


@pytest.mark.parametrize(
    ("command", "lost", "extra"),
    [
        (["serve", "--port", "0"], "uvicorn", "serve"),
        (["mcp"], "mcp", "mcp"),
        (["otel", "v.jsonl"], "opentelemetry", "otel"),
        (["trace", "watch", "-o", "out", "--listen", "0"], "uvicorn", "watch"),
        (["trace", "watch", "-o", "out", "--listen", "0"], "opentelemetry", "watch"),
    ],
)
def test_a_missing_extra_is_named(
    command: list[str], lost: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "v.jsonl").write_text("")
    monkeypatch.chdir(tmp_path)
    ours = ("truespec.serve", "truespec.cli.web", "truespec.reports.telemetry")
    for name in list(sys.modules):
        if name.partition(".")[0] == lost or name.startswith(ours):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, lost, None)
    run = CliRunner().invoke(truespec, command)
    told = str(run.exception) + run.output
    assert f"pip install 'truespec[{extra}]'" in told, told
    assert isinstance(run.exception, UsageError) or run.exit_code == 2
