"""Models that number the calls of each reply anew: an identifier that is answered may be a new call's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from truespec.traces.importers.registry import read
from truespec.traces.trace import Trace


def span(number: int, **attributes: Any) -> dict[str, Any]:
    return {
        "traceId": "t",
        "spanId": f"s{number}",
        "name": f"s{number}",
        "startTimeUnixNano": str(number),
        "attributes": {key.replace("__", "."): value for key, value in attributes.items()},
    }


def model(number: int, given: list[dict[str, Any]], said: dict[str, Any]) -> dict[str, Any]:
    return span(
        number,
        gen_ai__operation__name="chat",
        gen_ai__input__messages=json.dumps(given),
        gen_ai__output__messages=json.dumps([said]),
    )


def tool(number: int, name: str, arguments: dict[str, Any], result: str) -> dict[str, Any]:
    return span(
        number,
        gen_ai__operation__name="execute_tool",
        gen_ai__tool__name=name,
        gen_ai__tool__call__arguments=json.dumps(arguments),
        gen_ai__tool__call__result=result,
    )


def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    part = {"type": "tool_call", "id": "call_0", "name": name, "arguments": arguments}
    return {"role": "assistant", "parts": [part]}


def result(text: str) -> dict[str, Any]:
    return {"role": "tool", "parts": [{"type": "tool_call_response", "id": "call_0", "response": text}]}


def test_a_tool_runs_for_the_latest_call_with_its_identifier(tmp_path: Path) -> None:
    ask = {"role": "user", "parts": [{"type": "text", "content": "Look, then refund."}]}
    looked, refunded = call("look", {"n": 1}), call("refund", {"n": 1})
    done = {"role": "assistant", "parts": [{"type": "text", "content": "Done."}]}
    path = tmp_path / "x.json"
    spans = [
        model(1, [ask], looked),
        tool(2, "look", {"n": 1}, "one"),
        model(3, [ask, looked, result("one")], refunded),
        tool(4, "refund", {"n": 1}, "refused"),
        model(5, [ask, looked, result("one"), refunded, result("refused, too old")], done),
    ]
    path.write_text(json.dumps({"spans": spans}))
    (trace,) = (item for item in read(path) if isinstance(item, Trace))
    assert [(m.role, m.text, [c.name for c in m.calls]) for m in trace.messages] == [
        ("user", "Look, then refund.", []),
        ("assistant", None, ["look"]),
        ("tool", "one", []),
        ("assistant", None, ["refund"]),
        ("tool", "refused, too old", []),
        ("assistant", "Done.", []),
    ]
