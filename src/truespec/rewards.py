"""Rewards for training, in the shape in which trainers call them: `VerifiedReward`."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from truespec.api import DEFAULT_TIMEOUT, Verifier
from truespec.store.beside import KNOWN, may_be_misplaced, misplaced
from truespec.store.pairs import parse_json
from truespec.verdict import Answer, ReasonCode, Relation, UsageError, Verdict

RELATIONS = tuple(one.value for one in Relation)


class VerifiedReward:
    """A reward function over batches: what each completion earns, decided by the verifier.

    Trainers such as TRL call it with keywords: `prompts`, `completions` and the columns of the dataset, of
    which it reads `oracle`, `context` (a mapping or JSON text; optional) and, unless a domain is given here,
    `domain`. A completion is a text, or a conversation whose last message is read. One value comes back for
    each: 1.0 where the specification in it is proved equivalent to the oracle; where it is refuted, what
    `partial` gives its relation (`stronger`, `weaker`, `incomparable`), by default 0.0; 0.0 for an invalid
    answer and for a reply without a specification; and `unknown` where the verifier does not decide, by
    default 0.0. None there means "not applicable" to TRL.

    An oracle or a context that cannot be used is no fault of the model: the value is None, and a warning
    names the row. Equal completions earn equal values as long as none is near the limit. The workers live
    until `close`, or the end of a `with` block.

    >>> reward = VerifiedReward("regex", partial={"stronger": 0.25}, jobs=1)
    >>> replies = ["```\\na*\\n```", "```\\na+\\n```", "It is a*."]
    >>> with reward:
    ...     reward(completions=replies, oracle=["a*"] * 3)
    [1.0, 0.25, 0.0]
    """

    def __init__(
        self,
        domain: str | None = None,
        *,
        partial: Mapping[str, float] | None = None,
        unknown: float | None = 0.0,
        timeout: float = DEFAULT_TIMEOUT,
        jobs: int | None = None,
        tolerant: bool = False,
        name: str = "verified_reward",
    ) -> None:
        self.__name__ = name  # what trainers call it in their logs
        self._domain = domain
        self._partial = _checked(partial or {})
        self._unknown = unknown
        self._tolerant = tolerant
        self._verifier = Verifier(jobs=jobs, timeout=timeout)

    def __enter__(self) -> VerifiedReward:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the workers."""
        self._verifier.close()

    def __call__(
        self,
        prompts: Sequence[Any] | None = None,
        completions: Sequence[Any] = (),
        completion_ids: Sequence[Any] | None = None,
        **columns: Any,
    ) -> list[float | None]:
        """One value for each completion, as the class says. `UsageError` for a missing or short column."""
        from truespec.benchmark.answer import read_answer

        count = len(completions)
        oracles = _column(columns, "oracle", count)
        contexts = _column(columns, "context", count, [None] * count)
        domains = [self._domain] * count if self._domain else _column(columns, "domain", count)
        _check_others(columns, domains, count)
        values: list[float | None] = [0.0] * count
        pairs = []
        for row, completion in enumerate(completions):
            text = read_answer(_text(completion, row), tolerant=self._tolerant).text
            if text is not None:
                pairs.append(
                    {
                        "id": str(row),
                        "domain": domains[row],
                        "oracle": oracles[row],
                        "candidate": text,
                        "context": _context(contexts[row], row),
                    }
                )
        for name, verdict in self._verifier.verify_many(pairs):
            values[int(name)] = self._value(int(name), verdict)
        return values

    def _value(self, row: int, verdict: Verdict) -> float | None:
        match verdict.answer:
            case Answer.EQUIVALENT:
                return 1.0
            case Answer.REFUTED:
                return self._partial.get(verdict.relation.value, 0.0) if verdict.relation else 0.0
            case Answer.INVALID:
                return 0.0
        reason = verdict.reason
        if reason and reason.code in (ReasonCode.ORACLE, ReasonCode.CONTEXT):
            warnings.warn(f"row {row} has no reward: its {reason.code.value}: {reason.detail}", stacklevel=3)
            return None
        return self._unknown


def _checked(partial: Mapping[str, float]) -> dict[str, float]:
    for relation, value in partial.items():
        if relation not in RELATIONS:
            raise UsageError(f"partial names the relation {relation!r}: expected {', '.join(RELATIONS)}")
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1:
            raise UsageError(f"partial gives {relation} {value!r}: expected a number from 0 to below 1")
    return {relation: float(value) for relation, value in partial.items()}


def _column(
    columns: Mapping[str, Any], name: str, count: int, default: Sequence[Any] | None = None
) -> Sequence[Any]:
    found = columns.get(name, default)
    if found is None:
        raise UsageError(f"the dataset has no column {name!r}: it has {', '.join(sorted(columns)) or 'none'}")
    if isinstance(found, str) or not isinstance(found, Sequence) or len(found) != count:
        raise UsageError(f"the column {name!r} is no list of {count} values, one for each completion")
    return found


def _check_others(columns: Mapping[str, Any], domains: Sequence[Any], count: int) -> None:
    """Raise `UsageError` for a column beside the context that belongs into it: nobody would read it."""
    odd = [
        name
        for name, values in columns.items()
        if name not in KNOWN and may_be_misplaced(name) and isinstance(values, list) and len(values) == count
    ]
    given = {"context": None} if "context" in columns else {}
    for row in range(count if odd else 0):
        if problem := misplaced({**given, **{name: columns[name][row] for name in odd}}, domains[row]):
            raise UsageError(f"the columns of row {row}: {problem}")


def _text(completion: Any, row: int) -> str:
    """The text of a completion, or of the last message of a conversation."""
    if isinstance(completion, str):
        return completion
    if isinstance(completion, Sequence) and completion and isinstance(completion[-1], Mapping):
        content = completion[-1].get("content")
        return content if isinstance(content, str) else ""
    if isinstance(completion, Sequence) and not completion:
        return ""
    raise UsageError(f"completion {row} is neither a text nor a list of messages")


def _context(context: Any, row: int) -> Mapping[str, Any]:
    if context is None or context == "":
        return {}
    if isinstance(context, str):
        try:
            context = parse_json(context)
        except ValueError as error:
            raise UsageError(
                f"the context of row {row} is no JSON: {str(error).removeprefix('not JSON: ')}"
            ) from None
    if not isinstance(context, Mapping):
        raise UsageError(f"the context of row {row} is no mapping: {type(context).__name__}")
    return context
