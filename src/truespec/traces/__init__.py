"""What agents did: one normalised trace for every format, and the importers that make it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truespec.traces.trace import (
    Message,
    Outcome,
    Source,
    Span,
    ToolCall,
    ToolSchema,
    Trace,
    TraceError,
)

if TYPE_CHECKING:
    from truespec.traces.importers.registry import read

__all__ = ["Message", "Outcome", "Source", "Span", "ToolCall", "ToolSchema", "Trace", "TraceError", "read"]


def __getattr__(name: str) -> Any:
    if name == "read":  # the importers are loaded where a file is read
        from truespec.traces.importers.registry import read

        return read
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
