"""What agents did: one normalised trace for every format, and the importers that make it."""

from __future__ import annotations

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

__all__ = ["Message", "Outcome", "Source", "Span", "ToolCall", "ToolSchema", "Trace", "TraceError"]
