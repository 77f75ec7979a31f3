"""How a judge is asked: settings of its own, several samples, and the majority of what they say."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median_low

from truespec.judges.judgement import Judgement
from truespec.models.call import Settings


@dataclass(frozen=True, slots=True)
class Manner:
    """How a judge is asked."""

    settings: Settings
    """Temperature, effort of reasoning, longest reply."""
    samples: int = 1
    """How often it judges the same thing; the majority decides."""
    prompts: Mapping[str, str] = field(default_factory=dict)
    """Prompts by role that replace the run's."""

    def __post_init__(self) -> None:
        if self.samples < 1 or self.samples % 2 == 0:
            raise ValueError(f"a majority needs an odd number of samples, not {self.samples}")

    def described(self, usual: Settings) -> str:
        """How the manner differs from the run's own settings, in words; empty where it does not.

        >>> Manner(Settings(temperature=0.0), 3).described(Settings())
        'temperature 0, 3 samples'
        """
        found = []
        for name in Settings.__dataclass_fields__:
            value = getattr(self.settings, name)
            if value != getattr(usual, name):
                shown = "default" if value is None else f"{value:g}" if isinstance(value, float) else value
                found.append(f"{name.replace('_', ' ')} {shown}")
        if self.samples > 1:
            found.append(f"{self.samples} samples")
        if self.prompts:
            texts = json.dumps(dict(self.prompts), sort_keys=True).encode("ascii")
            found.append(f"prompts {hashlib.sha256(texts).hexdigest()[:6]}")
        return ", ".join(found)


def majority(judgements: Sequence[Judgement]) -> Judgement:
    """What more samples say than its opposite; `UNKNOWN` where as many say either, or none is well-formed.

    >>> majority([Judgement.ACCEPT, Judgement.UNKNOWN, Judgement.ACCEPT, Judgement.REJECT]).value
    'accept'
    """
    accepted, rejected = judgements.count(Judgement.ACCEPT), judgements.count(Judgement.REJECT)
    if accepted == rejected:
        return Judgement.UNKNOWN
    return Judgement.ACCEPT if accepted > rejected else Judgement.REJECT


def median_scores(samples: Sequence[Sequence[int | None]]) -> list[int | None]:
    """The median score in each order over the samples that have one; the lower one of an even number.

    >>> median_scores([[3, 0], [None, 1], [2, 2]])
    [2, 1]
    """
    columns = [[score for score in column if score is not None] for column in zip(*samples, strict=True)]
    return [median_low(column) if column else None for column in columns]
