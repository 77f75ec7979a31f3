"""One call to a model, and its reply."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any


@dataclass(frozen=True, slots=True)
class Settings:
    """How a model is asked; the defaults are those of RESpecBench (section 3.1)."""

    temperature: float = 1.0
    """The sampling temperature."""
    reasoning_effort: str | None = "medium"
    """The effort of reasoning models; None leaves it to the provider."""
    max_tokens: int | None = None
    """The longest reply in tokens; None leaves it to the provider."""


@dataclass(frozen=True)  # without slots: its key is kept
class Call:
    """What a model is asked. Two calls with the same key are the same call."""

    model: str
    """The model's name, as given on the command line."""
    system: str
    """The system prompt."""
    prompt: str
    """The user's prompt."""
    settings: Settings = field(default_factory=Settings)
    """How it is asked."""
    epoch: int = 0
    """Which repetition this is, from 0."""
    subject: str = ""
    """What the call is about, e.g. `answer/regex-ip-octet`; not part of the key."""
    schema: str = ""
    """The JSON Schema that a server is asked to hold the reply to; empty for none."""

    @cached_property
    def key(self) -> str:
        """The content address of the call."""
        content = [self.model, self.system, self.prompt, asdict(self.settings), self.epoch]
        if self.schema:
            content.append(self.schema)
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode("ascii")).hexdigest()

    def to_json(self) -> dict[str, object]:
        """The call as the ledger keeps it while it is under way."""
        return asdict(self)

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Call:
        """Read what `to_json` wrote."""
        return cls(**{**record, "settings": Settings(**record["settings"])})


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said, and what it cost."""

    text: str
    """The reply without any reasoning that the provider keeps apart."""
    seconds: float = 0.0
    """Wall time of the call, retries included."""
    input_tokens: int | None = None
    """Tokens read; None where the provider does not say."""
    output_tokens: int | None = None
    """Tokens written, reasoning included; None where the provider does not say."""
    cost: float | None = None
    """US dollars; None where the provider does not say."""

    def to_json(self) -> dict[str, object]:
        """The reply as the ledger and the run's files write it."""
        return asdict(self)

    @classmethod
    def from_json(cls, record: Mapping[str, object]) -> Reply:
        """Read what `to_json` wrote."""
        return cls(**record)  # type: ignore[arg-type]
