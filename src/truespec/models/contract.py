"""What a model is: something that answers one call at a time, from any thread."""

from __future__ import annotations

from abc import ABC, abstractmethod

from truespec.models.call import Call, Reply
from truespec.verdict import TruespecError


class ModelError(TruespecError):
    """A call failed. It is not recorded, so that a resumed run makes it again."""


class Transient(ModelError):
    """A failure that may pass: a rate limit, a busy or unreachable server. The runner retries it."""


class Model(ABC):
    """A source of replies. `reply` may be called from several threads at once."""

    name: str
    """What the model is called in records."""

    @abstractmethod
    def reply(self, call: Call) -> Reply:
        """Answer a call; `Transient` where trying again may help, `ModelError` where it does not."""

    def close(self) -> None:
        """Release what the model holds."""
        return
