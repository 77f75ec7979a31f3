"""The second and the third check of a formal part: formalised again, and read back as conversations.

A formal part that compiles may still say the opposite of its sentence. So the sentence is formalised a second
time, by another prompt or another model, and the two formal parts have to be proved equal. Where they are
not, a conversation that separates them is decided by its words alone. Then conversations are put to a
reader who does not see the formula. One kind shows that the rule can be kept and broken; the others separate
the formula from its near misses.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from truespec.extraction.ask import EXTRACTING, tools_text
from truespec.extraction.examples import (
    Examples,
    as_lines,
    separating,
    status,
    status_by,
    with_other_tools,
)
from truespec.extraction.near import ANOTHER_TOOL, near_misses
from truespec.extraction.read import Check, Extracted, routed
from truespec.judges.structured import read_object, tagged
from truespec.models.call import Call, Settings
from truespec.rules.compare import Toolbox, compare
from truespec.rules.rule import Rule
from truespec.rules.ruleset import RuleSet
from truespec.traces.trace import Trace

SECONDS = 3.0
"""The limit for one comparison."""
MOST_QUESTIONS = 12
"""The most pairs of conversations that a reader is asked about, for one rule."""
ANSWERS = ("kept", "broken", "unclear")
"""What may be said of one conversation."""
KEPT = ("A", "B", "both", "neither", "unclear")
"""What may be said of two."""


@dataclass(frozen=True, slots=True)
class Again:
    """A formal part that was given again; None where none was, with the reason."""

    formal: Mapping[str, Any] | None
    """As it is written."""
    why: str = ""
    """Why there is none."""
    answer: str = ""
    """What was said of the conversation, one of `ANSWERS`; empty where none was shown."""


@dataclass(frozen=True, slots=True)
class Dispute:
    """Two formal parts for one rule that were not proved equal."""

    second: Extracted | None
    """The rule as it was formalised again; None where that gave no usable formal part."""
    why: str
    """How they differ."""
    trace: Trace | None = None
    """A conversation on which they differ."""


@dataclass(frozen=True, slots=True)
class Question:
    """Two conversations, of which the formula keeps exactly one."""

    kept: Trace
    """The one that the formula keeps."""
    broken: Trace
    """The one that it breaks."""
    first_kept: bool
    """Whether the kept one is shown first."""

    @property
    def expected(self) -> str:
        """The answer that agrees with the formula."""
        return "A" if self.first_kept else "B"

    @property
    def shown(self) -> tuple[Trace, Trace]:
        """A and B."""
        return (self.kept, self.broken) if self.first_kept else (self.broken, self.kept)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader says of two conversations."""

    kept: str
    """One of `KEPT`."""


@cache
def _system(name: str) -> str:
    folder = files(__package__).joinpath("prompts")
    language = folder.joinpath("_language.md").read_text("utf-8").rstrip("\n")
    return folder.joinpath(f"{name}.md").read_text("utf-8").replace("{formal}", language)


def _call(name: str, rule: Rule, parts: Sequence[str], model: str, settings: Settings, place: str) -> Call:
    head = [tagged("rule", rule.text), tagged("quote", rule.quote or "")]
    subject = f"extract/{name}/{place}"
    return Call(model, _system(name), "\n\n".join([*head, *parts]), settings, subject=subject)


def ask_again(
    rule: Rule, toolbox: Toolbox, model: str, settings: Settings = EXTRACTING, place: str = ""
) -> Call:
    """The question for a second formal part; the first one is not shown."""
    parts = [tagged("tools", tools_text(toolbox.tools))]
    return _call("formalise", rule, parts, model, settings, place)


def ask_settle(
    rule: Rule, trace: Trace, toolbox: Toolbox, model: str, settings: Settings = EXTRACTING, place: str = ""
) -> Call:
    """The question on which side a conversation stands that separates two formal parts."""
    parts = [tagged("tools", tools_text(toolbox.tools)), _conversation("conversation", trace)]
    return _call("settle", rule, parts, model, settings, place)


def ask_back(
    rule: Rule, question: Question, model: str, settings: Settings = EXTRACTING, place: str = ""
) -> Call:
    """The question which of two conversations keeps the rule; no formula is shown."""
    parts = [_conversation(name, t) for name, t in zip(("A", "B"), question.shown, strict=True)]
    return _call("read_back", rule, parts, model, settings, place)


def _conversation(name: str, trace: Trace) -> str:
    """A conversation between tags, with the types of the tools that it calls."""
    called = {call.name for message in trace.messages for call in message.calls}
    types = [f"{tool.name} is of type {tool.kind}" for tool in trace.tools or () if tool.kind]
    type_lines = [line for line in types if line.split(" ", 1)[0] in called]
    return tagged(name, "\n".join([*type_lines, *as_lines(trace)]))


def read_again(reply: str, settling: bool = False) -> Again | str:
    """A second formal part, or what is wrong with the reply."""
    value = read_object(reply)
    if value is None or "formal" not in value:
        return "expected a JSON object with 'formal'"
    formal = value["formal"]
    if formal is not None and not isinstance(formal, Mapping):
        return "expected 'formal' to be an object or null"
    answer = value.get("answer", "")
    if settling and answer not in ANSWERS:
        return f"expected 'answer' to be one of {', '.join(ANSWERS)}"
    why = value.get("why_semantic")
    return Again(formal, why if isinstance(why, str) else "", answer if settling else "")


def read_back(reply: str) -> Reading | str:
    """Which conversation keeps the rule, or what is wrong with the reply."""
    value = read_object(reply)
    kept = value.get("kept") if value is not None else None
    return Reading(kept) if kept in KEPT else f"expected 'kept' to be one of {', '.join(KEPT)}"


def semantic_of(rule: Rule) -> Rule:
    """The rule without its formal part."""
    return replace(rule, kind="semantic", formal=None)


def compared(one: Extracted, again: Again, toolbox: Toolbox) -> Check | Dispute:
    """The second check, as far as a proof decides it."""
    if again.formal is None:
        why = again.why or "no reason was given"
        return Dispute(None, f"formalised again, it has no formal part: {why}")
    second = routed(semantic_of(one.rule), again.formal, toolbox)
    if second.route != "deterministic":
        return Dispute(None, f"formalised again, {second.why}")
    second = replace(second, rule=replace(one.rule, formal=second.rule.formal))
    found = compare(one.rule, second.rule, toolbox, SECONDS)
    if found.relation == "equal":
        return Check("second formalisation", "passed", "the two formal parts are proved equal")
    if found.relation == "unknown":
        return Dispute(second, f"the two formal parts were not proved equal: {found.reason}")
    words = {
        "stronger": "the first one asks for more",
        "weaker": "the second one asks for more",
        "incomparable": "each allows what the other forbids",
    }
    why = f"the two formal parts differ: {words.get(found.relation, found.relation)}"
    return Dispute(second, why, separating(RuleSet([one.rule]), RuleSet([second.rule]), toolbox, SECONDS))


def settled(one: Extracted, dispute: Dispute, again: Again, toolbox: Toolbox) -> Extracted:
    """The rule by the formal part with which the answer agrees, where one more formal part is proved equal to
    it; else left to a judge."""
    assert dispute.second is not None
    assert dispute.trace is not None
    shown = (tuple(as_lines(dispute.trace)),)
    proposed = tuple(e.formal for e in (one, dispute.second) if e.formal is not None)
    wanted = {"kept": "pass", "broken": "fail"}.get(again.answer)
    sides = [e for e in (one, dispute.second) if status(e.rule, dispute.trace) == wanted]
    if len(sides) != 1:
        why = f"{dispute.why}; whether a conversation keeps the rule was said to be {again.answer}"
        return rejected(one, Check("second formalisation", "failed", why, shown), proposed)
    (side,) = sides
    found = compared(side, again, toolbox)
    if isinstance(found, Dispute):
        why = f"{dispute.why}; a conversation was said to be {again.answer}, but {found.why}"
        return rejected(one, Check("second formalisation", "failed", why, shown), proposed)
    which = "first" if side is one else "second"
    detail = f"{dispute.why}; a conversation that separates them and a third formal part confirm the {which}"
    check = Check("second formalisation", "passed", detail, shown)
    kept_out = tuple(formal for formal in proposed if formal != side.formal)
    return replace(side, checks=(*side.checks, check), proposed=kept_out)


def rejected(one: Extracted, check: Check, proposed: Sequence[Mapping[str, Any]] = ()) -> Extracted:
    """The rule left to a judge, since a check was not passed."""
    own = (one.formal,) if one.formal is not None else ()
    return Extracted(
        semantic_of(one.rule),
        "semantic",
        f"{check.name} {check.status}: {check.detail}",
        checks=(*one.checks, check),
        proposed=tuple(proposed) or (*one.proposed, *own),
    )


def questions(one: Extracted, toolbox: Toolbox) -> tuple[Question, ...]:
    """Pairs of conversations to read: the rule's own examples in both orders, then pairs that together
    separate its formula from as many near misses as possible."""
    found = one.examples or Examples(None, None)
    if found.keeps is None or found.breaks is None:
        return ()
    made = [Question(found.keeps, found.breaks, True), Question(found.keeps, found.breaks, False)]
    shown = {tuple(as_lines(found.keeps)), tuple(as_lines(found.breaks))}
    near = near_misses(one.rule, toolbox)
    others = {n for n, (slip, _) in enumerate(near) if slip == ANOTHER_TOOL}
    monitor, monitors = RuleSet([one.rule]), [RuleSet([miss]) for _, miss in near]
    separated = _separated(monitor, monitors, (found.keeps, found.breaks))
    for number, miss in enumerate(monitors):
        if len(made) == MOST_QUESTIONS:
            break
        if number in separated:
            continue
        trace = separating(monitor, miss, toolbox, SECONDS)
        if trace is None:
            continue
        if number in others:
            trace = with_other_tools(monitor, trace, [monitors[n] for n in others - separated])
        if tuple(as_lines(trace)) in shown:
            continue
        shown.add(tuple(as_lines(trace)))
        separated |= _separated(monitor, monitors, (trace,), separated)
        keeps = status_by(monitor, trace) == "pass"
        pair = (trace, found.breaks) if keeps else (found.keeps, trace)
        digest = hashlib.sha256(f"{one.rule.text}:{number}".encode()).digest()
        made.append(Question(*pair, bool(digest[0] & 1)))
    return tuple(made)


def _separated(
    monitor: RuleSet, misses: Sequence[RuleSet], traces: Sequence[Trace], known: Container[int] = ()
) -> set[int]:
    """Which near misses, beside those known to, differ from the rule on one of these conversations."""
    own = [status_by(monitor, trace) for trace in traces]
    return {
        number
        for number, miss in enumerate(misses)
        if number not in known
        and any(status_by(miss, trace) != mine for trace, mine in zip(traces, own, strict=True))
    }


def confirmed(one: Extracted, asked: Sequence[Question], answers: Sequence[Reading]) -> Extracted:
    """The rule after the third check; every answer has to agree with the formula."""
    if not asked:
        return rejected(one, Check("conversations", "not made", "there are no conversations to read"))
    wrong = [
        (question, answer.kept)
        for question, answer in zip(asked, answers, strict=True)
        if answer.kept != question.expected
    ]
    if not wrong:
        detail = f"read back: {len(asked)} pairs of conversations, all as the formula says"
        return replace(
            one,
            why="compiled, formalised twice with one meaning, and read back as conversations",
            checks=(*one.checks, Check("conversations", "passed", detail)),
        )
    question, answer = wrong[0]
    detail = (
        f"{len(wrong)} of {len(asked)} pairs of conversations were read otherwise than the formula says;"
        f" of the first, the formula keeps {question.expected}, and the reader says {answer}"
    )
    shown = tuple(tuple(as_lines(trace)) for trace in question.shown)
    return rejected(one, Check("conversations", "failed", detail, shown))


def checks_record(one: Extracted) -> dict[str, Any]:
    """What the checks showed of one rule, as a report holds it."""
    record: dict[str, Any] = {"rule": one.rule.id, "route": one.route}
    for check in one.checks:
        entry: dict[str, Any] = {"status": check.status, "detail": check.detail}
        if check.conversations:
            entry["conversations"] = [list(lines) for lines in check.conversations]
        record[check.name] = entry
    if one.proposed:
        record["not_taken"] = json.loads(json.dumps(list(one.proposed), default=str))
    return record
