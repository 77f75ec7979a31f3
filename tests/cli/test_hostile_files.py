"""Whatever a file holds, every command that reads it ends with a documented code and no traceback.

An error that nobody foresaw fails these tests too, although it would be a sentence for users.
"""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path

import pytest

from truespec.cli.main import main

DEEP = {"list": "[" * 30_000, "600": "[" * 600 + "]" * 600, "objects": '{"a":' * 600 + "1" + "}" * 600}
RULE = "truespec_rules: 1\nrules:\n - {id: a, text: t, category: transition, formal: %s}\n"
CALL = "{template: existence, a: {call: x, args: {n: {gt: %s}}}}"
FILES: dict[str, bytes] = {
    "empty": b"",
    "zeros": bytes(100),
    "bytes": bytes(range(256)) * 10,
    **{f"deep {name}": text.encode() for name, text in DEEP.items()},
    "deep rules": f"rules: {DEEP['600']}".encode(),
    "infinite": (RULE % (CALL % ".inf")).encode(),
    "not a number": (RULE % (CALL % ".nan")).encode(),
    "many digits": (RULE % (CALL % ("9" * 5_000))).encode(),
    "rules null": b"rules: null\n",
    "rules odd": b"rules: [1, null, [], {}]\n",
    "alias": b"a: &a [*a]\n",
    "tag": b"!!python/object/apply:os.system ['true']\n",
    "list as key": b"? [1,2]\n: 3\n",
    "null": b"null",
    "number": b"3",
    "text": b'"x"',
    "list": b"[1,2]",
    "object": b"{}",
    "NaN": b'{"a": NaN}',
    "integer": b'{"a": ' + b"9" * 5_000 + b"}",
    "surrogate": b'{"id":"\\ud800","messages":[{"role":"user","content":"\\ud800"}]}',
    "lines": b'{"id":"a"}\n{"id":1}\n[]\nnull\n\n',
    "gzip": gzip.compress(b"garbage"),
    "zip": b"PK\x03\x04garbage",
    "utf-16": "{}".encode("utf-16"),
    "bom": b"\xef\xbb\xbf{}",
    "returns": b"\r\r\r",
    "odd call": json.dumps(
        {
            "messages": [
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{"function": {"name": None, "arguments": "[" * 5_000}}],
                }
            ]
        }
    ).encode(),
}
COMMANDS: dict[str, tuple[str, ...]] = {
    "context": ("verify", "arith", "x", "x", "--context", "FILE"),
    "specification": ("verify", "arith", "@FILE", "@FILE"),
    "batch": ("batch", "FILE", "-o", "o.jsonl", "--timeout", "1", "--jobs", "1"),
    "recheck": ("recheck", "FILE", "--pairs", "pairs.jsonl", "--jobs", "1"),
    "recheck pairs": ("recheck", "verdicts.jsonl", "--pairs", "FILE", "--jobs", "1"),
    "import": ("trace", "import", "FILE", "-o", "t.jsonl"),
    "check": ("trace", "check", "FILE", "--pack", "all", "-o", "c.jsonl"),
    "check rules": ("trace", "check", "trace.jsonl", "--rules", "FILE", "-o", "c2.jsonl"),
    "check tools": ("trace", "check", "trace.jsonl", "--pack", "loops", "--jobs", "1", "--tools", "FILE"),
    "check types": ("trace", "check", "trace.jsonl", "--pack", "loops", "--jobs", "1", "--types", "FILE"),
    "check prompt": ("trace", "check", "trace.jsonl", "--pack", "loops", "--jobs", "1", "--prompt", "FILE"),
    "baseline": ("trace", "check", "trace.jsonl", "--pack", "loops", "--jobs", "1", "--baseline", "FILE"),
    "scoring": ("trace", "check", "trace.jsonl", "--pack", "loops", "--jobs", "1", "--scoring", "FILE"),
    "extract": ("rules", "extract", "--prompt", "FILE", "--tools", "FILE"),
    "report": ("trace", "report", "FILE", "-o", "pages"),
    "analyze": ("trace", "analyze", "FILE", "-o", "analysis"),
    "rules check": ("rules", "check", "--rules", "FILE"),
    "rules compile": ("rules", "compile", "--rules", "FILE"),
    "rules diff": ("rules", "diff", "FILE", "FILE"),
    "recorded": ("bench", "run", "--model", "recorded:FILE", "--tasks", "bundled", "-o", "run"),
    "tasks": ("bench", "run", "--model", "recorded:lines", "--tasks", "FILE", "-o", "run"),
    "bench report": ("bench", "report", "FILE", "-o", "pages"),
    "data": ("data", "import", "folio", "--from", "FILE", "-o", "out"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_no_file_brings_a_command_down(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        Path(name).write_bytes(content)
    Path("folder").mkdir()
    Path("pairs.jsonl").write_text('{"id": "a", "domain": "regex", "oracle": "a", "candidate": "a"}\n')
    Path("verdicts.jsonl").write_text('{"id": "a", "domain": "regex", "answer": "equivalent"}\n')
    Path("trace.jsonl").write_text('{"messages": [{"role": "user", "content": "hi"}]}\n')
    failed = []
    for name in (*FILES, "folder", "missing"):
        monkeypatch.setattr(sys, "stdin", io.StringIO())
        monkeypatch.setattr(
            sys, "argv", ["truespec", *(part.replace("FILE", name) for part in COMMANDS[command])]
        )
        code: object
        try:
            main()
        except SystemExit as end:
            code = end.code
        said = capfd.readouterr().err
        if code not in (None, 0, 1, 2, 3, 4) or "unforeseen" in said or "Traceback" in said:
            failed.append((name, code, said[-300:]))
    assert not failed
