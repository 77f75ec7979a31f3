"""The one conversation that a guard belongs to: what one was told must not let pass what another one does."""

from __future__ import annotations

from typing import Any

from truespec.verdict import UsageError


class Conversation:
    """The conversation that was met first, by the name that its framework has for it."""

    def __init__(self, remedy: str) -> None:
        self._remedy = remedy
        self._name: Any = None

    def keep_to(self, name: Any) -> None:
        """Raise `UsageError`, with the remedy, where another conversation has begun; None names none yet."""
        if self._name is None:
            self._name = name
        elif name != self._name:
            raise UsageError(
                f"the guard is that of the conversation {self._name!r}, and this is {name!r}: {self._remedy}"
            )
