"""Words for a prompt, proposed by a model: what it says of the prompt and of the traces is looked up there.

What a sentence changes cannot be replayed. What can be checked is checked: the passage stands in the prompt
once, each citation in the message that it names, and the words are new there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from truespec.compliance.evaluators.answer import cited
from truespec.compliance.evaluators.ask import show
from truespec.compliance.suggest import Proposal, Repair
from truespec.judges.structured import enclosed, read_object, tagged
from truespec.models.call import Call, Settings
from truespec.rules.finding import Violation
from truespec.traces.trace import Trace

CAUSES = {
    "silent": "the prompt is silent",
    "ambiguous": "the prompt can be read in two ways",
    "contradicted": "the prompt says something else elsewhere",
    "pressed": "the user pressed",
    "ignored": "the prompt says it and the agent ignored it",
}
"""What may have led to a violation, as the model says it."""
WORDING = Settings(temperature=0.0, reasoning_effort=None)
"""How a model is asked for words by default."""
BUDGET = 60_000
"""Characters of a call's prompt."""
BEFORE, AFTER = 6, 1
"""Messages shown before and after one that breaks the rule."""
MOST_WORDS = 1200
"""The longest text that is taken for the prompt, in characters."""
MOST_CITED = 3
"""Citations of one answer."""


@dataclass(frozen=True)
class Case:
    """What a model is shown of one rule: the rule, a prompt, and violations under that prompt."""

    repair: Repair
    """The rule and what is proposed against it already."""
    prompt: str | None
    """The prompt that the examples share, as the model sees it; None where they hold none."""
    real_prompt: str | None
    """The same without anything hidden: what the words are to be written into."""
    examples: tuple[tuple[Trace, Violation], ...]
    """Traces as the model sees them, each with the violation."""

    @classmethod
    def of(cls, repair: Repair, hide: Callable[[Trace], Trace] = lambda trace: trace) -> Case:
        """The case of a repair; where its examples have several prompts, the first one's."""
        real = repair.examples[0][0].system_prompt
        same = [(trace, violation) for trace, violation in repair.examples if trace.system_prompt == real]
        shown = tuple((hide(trace), violation) for trace, violation in same)
        return cls(repair, shown[0][0].system_prompt, real, shown)


def ask(case: Case, model: str, settings: Settings = WORDING, budget: int = BUDGET) -> Call | str:
    """The call that asks for words, or why it cannot be made."""
    rule = case.repair.rule
    parts = [tagged("rule", rule.text, severity=rule.severity)]
    if case.prompt is not None:
        parts.append(tagged("system_prompt", case.prompt))
    used = sum(map(len, parts)) + len(_system()) + 200
    taken = 0
    for trace, violation in case.examples:
        first, end = _span(trace, violation)
        body = "\n".join(show(trace, index) for index in range(first, end))
        about = {"id": trace.id, "breaks_the_rule_at": violation.message_index, "of": len(trace.messages)}
        part = enclosed("conversation", body, **about)
        if used + len(part) > budget:
            continue
        used += len(part)
        taken += 1
        parts.append(part)
    if not taken:
        return f"the prompt and one violation take more than {budget} characters"
    return Call(model, _system(), "\n\n".join(parts), settings, subject=f"words/{rule.id}")


def read(reply: str, case: Case) -> Proposal | str:
    """The proposal of a reply, or what is wrong with it."""
    value = read_object(reply)
    if value is None:
        return "the reply ends with no JSON object"
    words, passage, place = (value.get(name) for name in ("words", "passage", "place"))
    if not isinstance(words, str) or not words.strip():
        return "words is the text for the prompt"
    words = words.strip()
    if len(words) > MOST_WORDS:
        return f"words has {len(words)} characters; at most {MOST_WORDS} are taken"
    if case.prompt is not None and words in case.prompt:
        return "words stands in the prompt already"
    problem = _place(case, passage, place)
    if problem:
        return problem
    cause = value.get("cause")
    if cause not in CAUSES:
        return f"cause is one of {', '.join(CAUSES)}, not {cause!r:.40}"
    because = _because(value.get("because"), case)
    if isinstance(because, str):
        return because
    change: dict[str, Any] = {"words": words, "cause": cause, "because": because}
    where = "Add to the prompt"
    if case.prompt is not None:
        change |= {"passage": passage, "place": place}
        shown = " ".join(str(passage).split())
        short = shown if len(shown) <= 100 else f"{shown[:99]}…"
        where = f'Put in the place of "{short}"' if place == "replace" else f'Add after "{short}"'
    return Proposal("prompt", f"{where}: {words} (cause, as the model sees it: {CAUSES[cause]})", change)


def _place(case: Case, passage: object, place: object) -> str:
    """What is wrong with the place that a reply names; empty where nothing is."""
    if case.prompt is None or case.real_prompt is None:
        return "there is no prompt: passage and place are empty" if passage or place else ""
    if place not in ("replace", "after"):
        return f"place is replace or after, not {place!r:.40}"
    if not isinstance(passage, str) or not passage.strip():
        return "passage is the exact words of the prompt"
    count = case.prompt.count(passage)
    if count != 1:
        return f"passage stands in the prompt {count} times, not once: {passage!r:.120}"
    if case.real_prompt.count(passage) != 1:
        return "passage holds a hidden value: choose one without"
    return ""


def _because(listed: object, case: Case) -> list[dict[str, Any]] | str:
    """The citations of a reply, each found in a message that was shown; or what is wrong with one."""
    if not isinstance(listed, list) or not 1 <= len(listed) <= MOST_CITED:
        return f"because is a list of one to {MOST_CITED} citations"
    shown: dict[str, list[tuple[Trace, int, int]]] = {}
    for trace, violation in case.examples:
        shown.setdefault(trace.id, []).append((trace, *_span(trace, violation)))
    made = []
    for number, item in enumerate(listed, 1):
        if not isinstance(item, Mapping):
            return f"citation {number}: expected an object"
        index, quote = item.get("message_index"), item.get("quote")
        spans = shown.get(str(item.get("trace")))
        if spans is None:
            return f"citation {number}: no conversation has the id {item.get('trace')!r:.60}"
        if isinstance(index, bool) or not isinstance(index, int):
            return f"citation {number}: message_index is a number, not {index!r:.40}"
        if not isinstance(quote, str) or len(quote.strip()) < 2:
            return f"citation {number}: quote is the exact words of the message"
        within = [trace for trace, first, end in spans if first <= index < end]
        if not within:
            return f"citation {number}: message {index} was not shown"
        if all(cited(quote, trace.messages[index]) is None for trace in within):
            return f"citation {number}: message {index} does not hold the words {quote!r:.120}"
        made.append({"trace": str(item["trace"]), "message_index": index, "quote": quote})
    return made


def _span(trace: Trace, violation: Violation) -> tuple[int, int]:
    """The messages that are shown of a violation."""
    at = violation.message_index
    return max(0, at - BEFORE), min(len(trace.messages), at + AFTER + 1)


@cache
def _system() -> str:
    return files(__package__).joinpath("prompts", "words.md").read_text("utf-8")
