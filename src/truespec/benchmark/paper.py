"""What RESpecBench reports of its nine models, in percent: facts to put measured figures beside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

DOMAINS = ("arith", "sql", "fol", "regex", "rocq")
"""Our names of the paper's domains, in the order of its tables."""
COUNTS = dict(zip(DOMAINS, (250, 76, 150, 200, 31), strict=True))
"""Table 2: tasks."""

MODELS = {
    "GPT 5": "gpt-5",
    "GPT 5 Mini": "gpt-5-mini",
    "GPT-OSS 120B": "gpt-oss-120b",
    "GPT-OSS 20B": "gpt-oss-20b",
    "Claude Sonnet 4": "claude-sonnet-4",
    "Gemini 2.5 Pro": "gemini-2.5-pro",
    "Gemini 2.5 Flash": "gemini-2.5-flash",
    "Qwen3-Next Thinking": "qwen3-next-thinking",
    "Qwen3-Next": "qwen3-next",
}
"""The paper's name to the short name in `models/presets.py`."""

SUCCESS = {
    "GPT 5": (88.4, 32.9, 67.3, 66.5, 16.1, 54.3),
    "GPT 5 Mini": (85.2, 31.6, 67.3, 70.5, 16.1, 54.1),
    "GPT-OSS 120B": (82.4, 28.9, 69.3, 70.5, 9.7, 52.2),
    "GPT-OSS 20B": (82.0, 28.9, 64.0, 67.5, 9.7, 50.4),
    "Claude Sonnet 4": (70.0, 34.2, 68.7, 69.0, 9.7, 50.3),
    "Gemini 2.5 Pro": (84.4, 39.5, 70.7, 64.5, 9.7, 53.7),
    "Gemini 2.5 Flash": (76.0, 35.5, 68.0, 53.0, 12.9, 49.1),
    "Qwen3-Next Thinking": (84.8, 35.5, 62.0, 65.5, 12.9, 52.1),
    "Qwen3-Next": (80.4, 32.9, 60.0, 62.0, 6.5, 48.3),
}
"""Table 3: success by domain, then overall."""

JUDGES = {
    "GPT 5": (84.2, 11.5, 18.7, 14.1, 23.0, -11.6),
    "GPT 5 Mini": (86.2, 5.5, 23.1, 20.8, 5.9, 1.9),
    "GPT-OSS 120B": (72.4, 11.7, 16.6, 6.5, 15.7, -9.1),
    "GPT-OSS 20B": (69.2, 9.0, 16.4, 10.1, 19.0, -9.7),
    "Claude Sonnet 4": (76.9, 7.6, 22.5, 16.0, 16.1, -3.6),
    "Gemini 2.5 Pro": (88.9, 8.8, 20.8, 13.2, 20.7, -10.1),
    "Gemini 2.5 Flash": (91.1, 4.0, 31.5, 26.8, 15.0, 2.0),
    "Qwen3-Next Thinking": (76.5, 5.2, 21.9, 10.0, 30.7, -16.4),
    "Qwen3-Next": (82.3, 8.6, 25.2, 14.4, 23.9, -9.8),
}
"""Table 4: FAR, FRR and inflation of the formalization judge, then of the equivalence judge."""

UNKNOWN = {
    "GPT 5": (0.0, 36.8, 0.0, 0.0, 83.9),
    "GPT 5 Mini": (0.0, 40.8, 0.0, 0.0, 83.9),
    "GPT-OSS 120B": (0.0, 42.1, 0.0, 0.0, 90.3),
    "GPT-OSS 20B": (0.0, 50.0, 0.0, 0.0, 90.3),
    "Claude Sonnet 4": (0.0, 34.2, 0.0, 0.0, 90.3),
    "Gemini 2.5 Pro": (0.0, 34.2, 0.0, 0.0, 90.3),
    "Gemini 2.5 Flash": (0.0, 34.2, 0.0, 0.0, 87.1),
    "Qwen3-Next Thinking": (0.0, 36.8, 0.0, 0.0, 87.1),
    "Qwen3-Next": (0.0, 35.5, 0.0, 0.0, 93.5),
}
"""Table 8: answers that the verifier leaves unknown, by domain."""

RATES = ("FAR", "FRR", "inflation")
"""The columns of each half of Table 4."""


@dataclass(frozen=True, slots=True)
class Span:
    """The lowest and highest of some figures in percent."""

    low: float
    """The lowest."""
    high: float
    """The highest."""
    count: int
    """How many figures."""


def span(figures: Sequence[float]) -> Span:
    """The span of figures, of which there is one at least."""
    return Span(min(figures), max(figures), len(figures))


def success(domain: str) -> Span:
    """Table 3 over the nine models."""
    return span([row[DOMAINS.index(domain)] for row in SUCCESS.values()])


def unknown(domain: str) -> Span:
    """Table 8 over the nine models."""
    return span([row[DOMAINS.index(domain)] for row in UNKNOWN.values()])


def judged(kind: str, rate: str) -> Span:
    """Table 4 over the nine judges."""
    place = RATES.index(rate) + (len(RATES) if kind == "equivalence" else 0)
    return span([row[place] for row in JUDGES.values()])
