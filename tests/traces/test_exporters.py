"""One conversation, as real exporters recorded it: no call lost, none invented, every result at its call.

The agent looks up two orders at once, fails to refund one of them, answers, and looks up a third one when it
is asked again. Each framework ran it with its own or a published instrumentation, against a scripted model.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from truespec.traces.importers.registry import read
from truespec.traces.trace import Trace

SAMPLES = Path(__file__).parent / "samples"
A17 = ("lookup_order", {"order_id": "A17"})
B42 = ("lookup_order", {"order_id": "B42"})
C99 = ("lookup_order", {"order_id": "C99"})
REFUND = ("refund", {"order_id": "A17", "amount": 20})
FIRST = [A17, B42, REFUND]

EXPORTERS = {
    # The second run is given the first one's messages.
    "otlp/google-adk.json": [FIRST, [*FIRST, C99]],
    "otlp/openinference-haystack.json": [FIRST],
    "otlp/openllmetry-agents-chat.json": [FIRST, [*FIRST, C99]],
    "otlp/openllmetry-agents-responses.json": [FIRST, [*FIRST, C99]],
    "otlp/openinference-autogen.json": [FIRST, [*FIRST, C99]],
    "otlp/openllmetry-llamaindex.json": [FIRST],
    "otlp/litellm.json": [FIRST, [*FIRST, C99]],
    # Looked up again in place of a third one.
    "otlp/openllmetry-log-records.jsonl": [[*FIRST, A17]],
    "otlp/genai-single-requests.jsonl": [[*FIRST, A17]],  # each model call in a trace of its own
    "otlp/tempo.json": [[*FIRST, A17]],
    "otlp/cloudwatch.jsonl": [[*FIRST, A17]],
    "openinference/console.json": [[*FIRST, A17]],
    "openinference/console-records.json": [[*FIRST, A17]],
    "openinference/phoenix-columns.json": [[*FIRST, A17]],
    "openinference/phoenix-page.json": [[*FIRST, A17]],
    "jaeger/openinference.json": [[*FIRST, A17]],
    "zipkin/vercel-ai-sdk.json": [[*FIRST, A17]],
    "structure/mlflow-langgraph.json": [FIRST],
    # What frameworks themselves write: messages, memories, sessions, events.
    "structure/langchain-messages.json": [[*FIRST, C99]],
    "structure/langchain-dumps.json": [[*FIRST, C99]],
    "structure/langgraph-updates.jsonl": [FIRST],
    "structure/autogen-state.json": [[*FIRST, C99]],
    "structure/autogen-events.json": [FIRST],
    "structure/agent-framework-session.json": [[*FIRST, C99]],
    "openai/llamaindex-memory.json": [[*FIRST, C99]],
    "openai/semantic-kernel.json": [[*FIRST, C99]],
    # Its scripted model took each observation for a question and asked for C99 again.
    "otlp/openinference-smolagents.json": [[A17, B42, C99, C99, C99, C99]],
}
WITHOUT_RESULT = {"otlp/openinference-autogen.json": 3, "otlp/litellm.json": 1}
"""Calls whose results the exporter left empty in a history; the last call of a request alone in its trace."""


def traces(name: str) -> list[Trace]:
    return [trace for trace in read(SAMPLES / name) if isinstance(trace, Trace)]


@pytest.mark.parametrize("name", EXPORTERS)
def test_the_calls_are_those_that_were_made(name: str) -> None:
    made = [
        [
            (call.name.removeprefix("P-"), call.arguments)
            for message in trace.messages
            for call in message.calls
        ]
        for trace in traces(name)
    ]
    assert made == EXPORTERS[name]


@pytest.mark.parametrize("name", EXPORTERS)
def test_every_result_stands_at_its_call(name: str) -> None:
    missing = 0
    for trace in traces(name):
        calls = {call.id: call for message in trace.messages for call in message.calls}
        results = [message for message in trace.messages if message.role == "tool"]
        assert len({result.call_id for result in results}) == len(results)
        missing += len(calls) - len(results)
        for result in results:
            call = calls[result.call_id]
            assert isinstance(call.arguments, dict)
            text = result.text or ""
            if call.name.endswith("refund"):
                assert "too old" in text or "error occurred" in text or "Function failed" in text
            else:
                assert call.arguments["order_id"] in text
                assert "sent" in text
    assert missing == WITHOUT_RESULT.get(name, 0)


@pytest.mark.parametrize("name", EXPORTERS)
def test_nothing_is_said_that_nobody_said(name: str) -> None:
    for trace in traces(name):
        for message in trace.messages:
            if message.role in ("user", "assistant"):
                assert message.text or message.calls or message.reasoning
                assert (message.text or "-")[0] not in "[{"
