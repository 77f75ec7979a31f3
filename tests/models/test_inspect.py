"""Models behind Inspect AI: settings reach the provider, usage comes back, errors name their cause."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import needs
from truespec.models.call import Call, Settings
from truespec.models.contract import ModelError, Transient
from truespec.models.inspect import InspectModel
from truespec.models.registry import open_model
from truespec.verdict import UsageError

SEEN: list[tuple[list[str], Any]] = []


@pytest.fixture(scope="module", autouse=True)
def _inspect() -> None:
    """Loaded by the tests that need it: every process that collects this file would wait a second for it."""
    needs.module("inspect_ai")


@pytest.fixture(scope="module")
def model() -> Any:
    from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, ModelUsage, get_model, modelapi

    @modelapi(name="truespec-test")
    class Echo(ModelAPI):
        """Repeats the user's prompt; fails when told to."""

        async def generate(self, input: Any, tools: Any, tool_choice: Any, config: Any) -> Any:
            texts = [message.text for message in input]
            SEEN.append((texts, config))
            if texts[-1] == "be busy":
                raise RuntimeError("429: rate limit reached")
            if texts[-1] == "refuse":
                raise RuntimeError("401: no such key")
            output = ModelOutput.from_content("echo", f"{texts[0]}: {texts[1]}")
            output.usage = ModelUsage(input_tokens=3, output_tokens=5, total_tokens=8)
            return output

    opened = InspectModel("truespec-test/echo", get_model("truespec-test/echo"), GenerateConfig)
    yield opened
    opened.close()


def call(prompt: str, **settings: Any) -> Call:
    return Call("truespec-test/echo", "system", prompt, Settings(**settings))


def test_reply_and_usage_come_back(model: InspectModel) -> None:
    reply = model.reply(call("hello", max_tokens=77))
    assert (reply.text, reply.input_tokens, reply.output_tokens) == ("system: hello", 3, 5)
    config = SEEN[-1][1]
    assert (config.temperature, config.reasoning_effort, config.max_tokens) == (1.0, "medium", 77)


def test_calls_from_many_threads(model: InspectModel) -> None:
    with ThreadPoolExecutor(8) as threads:
        replies = list(threads.map(lambda n: model.reply(call(str(n))).text, range(40)))
    assert replies == [f"system: {n}" for n in range(40)]


def test_errors_are_passing_or_lasting_and_name_their_cause(model: InspectModel) -> None:
    with pytest.raises(Transient, match="rate limit reached"):
        model.reply(call("be busy"))
    with pytest.raises(ModelError, match="no such key") as caught:
        model.reply(call("refuse"))
    assert not isinstance(caught.value, Transient)


def test_a_name_that_no_provider_knows_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="nobody/nothing"):
        open_model("nobody/nothing")
