"""Every provider that Inspect AI knows, e.g. `openai/gpt-5` or `anthropic/claude-sonnet-4-0`."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from typing import Any

from truespec.models.call import Call, Reply
from truespec.models.contract import Model, ModelError, Transient
from truespec.models.secrets import conceal
from truespec.verdict import UsageError

TRANSIENT = (
    "rate limit",
    "ratelimit",
    "overloaded",
    "timeout",
    "timed out",
    "connection",
    "429",
    "503",
    "529",
)
"""Words in a provider's error that make another try worth while."""


class InspectModel(Model):
    """A model behind Inspect AI; one event loop in a thread of its own serves all calls."""

    def __init__(self, name: str, model: Any, config: Any) -> None:
        self.name = name
        self._model = model
        self._config = config
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def reply(self, call: Call) -> Reply:
        """The provider's reply; its own retries are Inspect's."""
        started = time.monotonic()
        future = asyncio.run_coroutine_threadsafe(self._generate(call), self._loop)
        try:
            output = future.result()
        except Exception as error:
            cause = _innermost(error)
            text = f"{self.name}: {type(cause).__name__}: {cause}"
            passing = any(word in text.lower() for word in TRANSIENT)
            raise (Transient if passing else ModelError)(text) from error
        usage = output.usage
        return Reply(
            text=output.completion,
            seconds=time.monotonic() - started,
            input_tokens=usage.input_tokens if usage else None,
            output_tokens=usage.output_tokens if usage else None,
            cost=getattr(usage, "total_cost", None) if usage else None,
        )

    async def _generate(self, call: Call) -> Any:
        from inspect_ai.model import ChatMessageSystem, ChatMessageUser

        messages = [ChatMessageSystem(content=call.system), ChatMessageUser(content=call.prompt)]
        settings = {
            "temperature": call.settings.temperature,
            "reasoning_effort": call.settings.reasoning_effort,
            "max_tokens": call.settings.max_tokens,
        }
        given: dict[str, Any] = {name: value for name, value in settings.items() if value is not None}
        if call.schema:
            # What servers of llama.cpp's kind understand; hosted providers each have a form of their own.
            form = {"type": "json_object", "schema": json.loads(call.schema)}
            given["extra_body"] = {"response_format": form}
        return await self._model.generate(messages, config=self._config(**given))

    def close(self) -> None:
        """Stop the event loop."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)


def _innermost(error: BaseException) -> BaseException:
    """The cause that a provider's retry wrapper hides."""
    while error.__cause__ is not None:
        error = error.__cause__
    attempt = getattr(error, "last_attempt", None)
    hidden = attempt.exception() if attempt is not None else None
    return hidden or error


def open_provider(name: str, target: str) -> Model:
    """A model of Inspect AI; `UsageError` says what to install or which key is missing."""
    try:
        from inspect_ai.model import GenerateConfig, get_model
    except ImportError:
        advice = "pip install 'truespec[models]', or use recorded:FILE or python:MODULE:FUNCTION"
        raise UsageError(f"model {name!r} needs Inspect AI: {advice}") from None
    try:
        return InspectModel(name, get_model(target), GenerateConfig)
    except Exception as error:
        # Inspect's messages carry its terminal's markup and line breaks.
        plain = " ".join(re.sub(r"\[/?[a-z ]+\]", "", str(error)).split()).removeprefix("ERROR: ")
        if "/" not in name:
            plain += " Other kinds are recorded:FILE, python:MODULE:FUNCTION and scripted:JUDGE."
        raise UsageError(f"model {name!r}: {conceal(plain)}") from None
