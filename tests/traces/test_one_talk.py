"""One conversation in the shapes of many logs, sessions and exports: nothing lost, nothing invented.

Two orders are looked up at once, a refund fails, one order is looked up again with equal arguments, and a
third one when the user asks again. The model thinks once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from truespec.traces.importers.registry import read
from truespec.traces.trace import Trace

SAMPLES = Path(__file__).parent / "samples"
ASKED = ["Where are A17 and B42? Refund A17.", "And C99?"]
SAID = ["Let me look.", "Both are sent; no refund.", "C99 is sent."]
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("lookup_order", {"order_id": "A17"}),
    ("lookup_order", {"order_id": "B42"}),
    ("refund", {"order_id": "A17", "amount": 20}),
    ("lookup_order", {"order_id": "A17"}),
    ("lookup_order", {"order_id": "C99"}),
]
RESULTS = ["A17", "B42", "too old to refund", "A17", "C99"]
TALKS = (
    "anthropic/bedrock-log.jsonl",
    "anthropic/bedrock-stream.jsonl",
    "anthropic/converse-stream.jsonl",
    "anthropic/http-exchanges.jsonl",
    "anthropic/logged-stream.jsonl",
    "cli-sessions/opencode.json",
    "codex/rollout.jsonl",
    "gemini/logged-stream.jsonl",
    "langfuse/ingestion.jsonl",
    "langsmith/bulk.jsonl",
    "mini-swe-agent/calls.traj.json",
    "openai/litellm-spend.json",
    "openai/marks.jsonl",
    "openai/ollama-log.jsonl",
    "openai/stored.json",
    "openai-responses/conversation.jsonl",
    "openhands/events.jsonl",
    "otlp/openllmetry-workflow.json",
    "platforms/braintrust.jsonl",
    "platforms/galileo.json",
    "platforms/opik.json",
    "platforms/weave.jsonl",
    "pydantic-ai/lines.jsonl",
    "pydantic-ai/rows.jsonl",
    "sharegpt/hermes.json",
    "span-rows/application-insights.jsonl",
    "span-rows/clickhouse.jsonl",
    "span-rows/elasticsearch.jsonl",
    "span-rows/go.jsonl",
    "span-rows/logfire-columns.json",
    "span-rows/logfire.jsonl",
    "stream/requests.jsonl",
    "structure/ai-sdk-runs.json",
    "table/honeycomb.csv",
    "table/log.csv",
    "table/phoenix.csv",
)
PROMPTLESS = (
    "cli-sessions/gemini-cli.json",
    "openai/vercel-4.json",
    "structure/item-lines.jsonl",
    "structure/item-rows.jsonl",
    "structure/newest-first.json",
)
"""Talks whose sources do not record the prompt of the system."""
SHORT = (
    "chat-apps/chatgpt.json",
    "chat-apps/claude.json",
    "openai-assistants/steps.json",
    "sharegpt/glaive.json",
    "sharegpt/llamafactory.json",
    "sharegpt/toolace.json",
    "sharegpt/xlam.json",
)


def of(name: str) -> Trace:
    found = list(read(SAMPLES / name))
    assert len(found) == 1, found
    assert isinstance(found[0], Trace)
    return found[0]


@pytest.mark.parametrize("name", [*TALKS, *PROMPTLESS])
def test_the_talk_is_what_was_said_and_done(name: str) -> None:
    trace = of(name)
    texts = {
        role: [m.text for m in trace.messages if m.role == role and m.text] for role in ("user", "assistant")
    }
    assert texts == {"user": ASKED, "assistant": SAID}
    calls = [(index, n, c) for index, m in enumerate(trace.messages) for n, c in enumerate(m.calls)]
    assert [(call.name, call.arguments) for _, _, call in calls] == CALLS
    assert len(trace.origins) == sum(m.role == "tool" for m in trace.messages) == len(CALLS)
    for (index, number, _), expected in zip(calls, RESULTS, strict=True):
        assert expected in str(trace.messages[trace.results[index, number]].text)
    if name not in PROMPTLESS:
        assert "You are the desk of a shop." in str(trace.system_prompt)


@pytest.mark.parametrize("name", SHORT)
def test_one_call_in_a_text_or_a_step(name: str) -> None:
    trace = of(name)
    assert [m.text for m in trace.messages if m.role == "user"] == ["Where is C99?"]
    calls = [call for message in trace.messages for call in message.calls]
    assert [(call.name, call.arguments) for call in calls] == CALLS[-1:]
    if name != "sharegpt/xlam.json":  # which holds neither results nor a reply
        assert [m.text for m in trace.messages if m.role == "assistant" and m.text] == ["C99 is sent."]
        (result,) = (trace.messages[index] for index in trace.origins)
        assert "C99" in str(result.text)
