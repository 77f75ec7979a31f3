"""A judge's answer read strictly: every violation has to cite words that stand where it says."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from truespec.compliance.evaluators.ask import Question, call_text
from truespec.compliance.scoring import Result, Scoring
from truespec.judges.structured import read_object, tagged
from truespec.models.call import Call
from truespec.rules.finding import QUOTE, Status, Violation
from truespec.rules.rule import SEVERITIES, Rule
from truespec.traces.trace import Message, Trace

TRIES = 3
"""How often a judge is asked before its answer counts as none."""
LEAST_QUOTE = 2
"""Characters without which a quote shows nothing."""
_STAGES = {"succeeded": "took_effect", "corrected": "blocked", "caught": "blocked"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a judge said about one window."""

    score: float
    """0 to 100."""
    violations: tuple[Violation, ...]
    """Each with a citation that was found."""
    reasoning: str
    """In the judge's words."""


def read_answer(reply: str, question: Question, trace: Trace) -> Answer | list[str]:
    """The answer of a reply, or all that is wrong with it."""
    value = read_object(reply)
    if value is None:
        return ["the reply ends with no JSON object"]
    problems: list[str] = []
    score = value.get("score")
    if isinstance(score, bool) or not isinstance(score, (int, float)) or not 0 <= score <= 100:
        problems.append(f"score is a number from 0 to 100, not {score!r:.40}")
    listed = value.get("violations")
    if not isinstance(listed, list):
        return [*problems, "violations is a list"]
    made = []
    for number, item in enumerate(listed, 1):
        found = _violation(item, question, trace)
        if isinstance(found, str):
            problems.append(f"violation {number}: {found}")
        else:
            made.append(found)
    if problems:
        return problems
    assert isinstance(score, (int, float))
    rules = {rule.id: rule for rule in question.items}
    binding = [v for v in made if rules[v.rule_id].force == "mandatory"]
    if score < 100 and not made:
        return [f"the score is {score:g} and no violation is listed"]
    if binding and score == 100:
        return ["the score is 100 and violations of mandatory items are listed"]
    reasoning = value.get("reasoning")
    words = " ".join(reasoning.split())[:600] if isinstance(reasoning, str) else ""
    return Answer(float(score) if binding else 100.0, tuple(made), words)


def _violation(item: Any, question: Question, trace: Trace) -> Violation | str:
    if not isinstance(item, dict):
        return "expected an object"
    rules = {rule.id: rule for rule in question.items}
    rule = rules.get(str(item.get("rule_id")))
    if rule is None:
        return f"no item has the id {item.get('rule_id')!r:.60}"
    index = item.get("message_index")
    window = question.window
    if isinstance(index, bool) or not isinstance(index, int) or not window.first <= index < window.end:
        return f"message_index is one of {window.first} to {window.end - 1}, not {index!r:.40}"
    severity = item.get("severity")
    if severity not in SEVERITIES:
        return f"severity is one of {', '.join(SEVERITIES)}, not {severity!r:.40}"
    quote = item.get("quote")
    if not isinstance(quote, str) or len(_squeezed(quote)) < LEAST_QUOTE:
        return "quote is the exact words of the message"
    message = trace.messages[index]
    place = cited(quote, message)
    if place is None:
        return f"message {index} does not hold the words {quote!r:.120}"
    kind = item.get("kind")
    if kind not in question.evaluator.kinds:
        kind = rule.violation or rule.category
    call = place if place >= 0 else None
    stage = _STAGES.get(str(item.get("stage"))) if question.evaluator.stages else None
    return Violation(
        rule.id,
        kind,
        index,
        quote if len(quote) <= QUOTE else quote[: QUOTE - 1] + "…",
        severity,
        _effect(trace, index, call, stage),
        call=call,
    )


def cited(quote: str, message: Message) -> int | None:
    """Where a message holds a quote: -1 for its text, else the number of the call; None where it does not.

    White space does not count, for calls are shown as JSON.
    """
    for wanted in dict.fromkeys((_squeezed(quote), _squeezed(html.unescape(quote)))):
        for number, call in enumerate(message.calls):
            if wanted in _squeezed(call_text(call)):
                return number
        if wanted in _squeezed(message.text or ""):
            return -1
    return None


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _effect(trace: Trace, index: int, call: int | None, stage: str | None) -> str:
    """Whether the act took effect: what the trace shows counts before what a judge says."""
    numbers = [call] if call is not None else range(len(trace.messages[index].calls))
    results = [trace.results[index, n] for n in numbers if (index, n) in trace.results]
    if results:
        return "blocked" if all(trace.messages[i].failed for i in results) else "took_effect"
    return stage or "none"


def again(call: Call, reply: str, problems: Sequence[str], attempt: int) -> Call:
    """The call that asks once more, saying why the last answer was not accepted."""
    said = "\n".join(f"- {problem}" for problem in problems)
    prompt = "\n\n".join(
        [
            call.prompt,
            tagged("rejected_answer", reply[-8000:]),
            f"That answer was not accepted:\n{said}\nAnswer again, in full.",
        ]
    )
    return replace(call, prompt=prompt, epoch=attempt)


@dataclass(frozen=True, slots=True)
class Judged:
    """What an evaluator's judge found in a trace."""

    result: Result
    """Its result, of the judged part alone."""
    items: tuple[Rule, ...]
    """What was to be checked."""


def judged(name: str, items: tuple[Rule, ...], answers: Sequence[Answer | str], scoring: Scoring) -> Judged:
    """One result from the answers about all windows; a window without an answer leaves none.

    A text in an answer's place says why there is none. Deductions of windows add up, for each window judges
    its own messages.
    """
    tier = scoring.tiers[name]
    weight = scoring.weights[tier]
    lost = [answer for answer in answers if isinstance(answer, str)]
    if lost:
        text = "; ".join(dict.fromkeys(lost))
        return Judged(Result(name, tier, Status.NOT_EVALUATED, None, text, weight=weight), items)
    read = [answer for answer in answers if isinstance(answer, Answer)]
    score = round(max(0.0, 100.0 - sum(100.0 - answer.score for answer in read)), 3)
    violations = tuple(v for answer in read for v in answer.violations)
    said = " ".join(dict.fromkeys(answer.reasoning for answer in read if answer.reasoning))
    status = Status.PASS if score == 100 else Status.FAIL
    text = said or f"{len(items)} items judged"
    return Judged(Result(name, tier, status, score, text, violations, score, weight), items)
