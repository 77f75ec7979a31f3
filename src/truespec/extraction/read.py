"""Replies of extractors to rules: quotes are looked up, formal parts compiled and tried on examples.

A rule whose quote is not found in its source is dropped and counted. A formal part that does not compile,
names a tool that is not there, means nothing, or was not seen to tell right from wrong leaves its rule to a
judge.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from truespec.extraction.ask import initial_state_of, request_of, tools_text
from truespec.extraction.examples import Examples, find_examples
from truespec.extraction.plan import PlanStep
from truespec.judges.structured import read_object
from truespec.rules import predicate as p
from truespec.rules.compare import Toolbox, health
from truespec.rules.language import read_formal
from truespec.rules.rule import FORCES, SEVERITIES, VIOLATIONS, Position, Rule
from truespec.traces.trace import Trace
from truespec.verdict import TruespecError

LEAST_QUOTE = 8
"""Characters without which a quote carries no rule."""
SECONDS = 3.0
"""The limit for one question about a formal part."""


@dataclass(frozen=True, slots=True)
class Check:
    """One of the three checks that a formal part has to pass before a monitor may use it."""

    name: str
    """One of `CHECKS`."""
    status: str
    """`passed`, `failed`, or `not made`."""
    detail: str = ""
    """What it showed."""
    conversations: tuple[tuple[str, ...], ...] = ()
    """The conversations on which it failed, in lines: a question for a person."""


CHECKS = ("examples", "second formalisation", "conversations")
"""Compiled, and seen to tell right from wrong; formalised twice, and proved equal; read back as conversations
by a reader who does not see the formula."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """One rule, and how it came to be."""

    rule: Rule
    """The rule."""
    route: str
    """`deterministic` or `semantic`."""
    why: str
    """Why it went there."""
    formal: Mapping[str, Any] | None = None
    """The formal part as it is written; None for a semantic rule."""
    examples: Examples | None = None
    """Conversations that keep and break it."""
    checks: tuple[Check, ...] = ()
    """What each check showed, in their order; none for a rule that came without a formal part, or whose
    formal part was read off a schema."""
    proposed: tuple[Mapping[str, Any], ...] = ()
    """Formal parts that were given and not taken, as they are written."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """What an extractor said and was not taken."""

    category: str
    """What was asked for."""
    text: str
    """The rule as it was given."""
    why: str
    """What was wrong with it."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """What came of one reply, or of several."""

    rules: tuple[Extracted, ...] = ()
    """What was taken."""
    dropped: tuple[Dropped, ...] = ()
    """What was not."""
    merged: tuple[tuple[str, str], ...] = ()
    """Rules that are proved to say what an earlier one says, each with that one's name."""

    def __add__(self, other: Extraction) -> Extraction:
        return Extraction(self.rules + other.rules, self.dropped + other.dropped, self.merged + other.merged)


@dataclass(frozen=True)
class Sources:
    """Where quotes have to be found."""

    prompt: str
    """The system prompt."""
    tools: str = ""
    """The tools, as the extractor saw them."""
    prompt_sha256: str | None = None
    """The prompt's hash."""
    toolbox: Toolbox = field(default_factory=Toolbox)
    """The tools, for formal parts."""

    @classmethod
    def of(cls, trace: Trace) -> Sources:
        """The sources of a trace."""
        return cls(
            trace.system_prompt or "", tools_text(trace.tools), trace.prompt_sha256, Toolbox(trace.tools)
        )


def find_quote(quote: str, text: str) -> tuple[int, int] | None:
    """Where a quote stands in a text, runs of white space being equal; None where it does not.

    >>> find_quote("a  b", "x a\\nb")
    (2, 5)
    """
    for wanted in dict.fromkeys((quote, html.unescape(quote))):
        words = wanted.split()
        if not words:
            return None
        found = re.search(r"\s+".join(map(re.escape, words)), text)
        if found:
            return found.span()
    return None


def read_rules(reply: str, category: str, sources: Sources) -> Extraction | str:
    """The rules of a reply, or what is wrong with the reply as a whole."""
    value = read_object(reply)
    if value is None:
        return "the reply ends with no JSON object"
    listed = value.get("edges" if category == "forbidden_edge" else "rules")
    if not isinstance(listed, list):
        return f"expected a list of {'edges' if category == 'forbidden_edge' else 'rules'}"
    rules: list[Extracted] = []
    dropped: list[Dropped] = []
    taken: set[str] = set()
    for item in listed:
        made = _one(item, category, sources, taken)
        if isinstance(made, Dropped):
            dropped.append(made)
        else:
            taken.add(made.rule.id)
            rules.append(made)
    return Extraction(tuple(rules), tuple(dropped))


def _one(item: Any, category: str, sources: Sources, taken: set[str]) -> Extracted | Dropped:
    if not isinstance(item, Mapping):
        return Dropped(category, repr(item)[:200], "expected an object")
    if category == "forbidden_edge":
        item = {
            "id": f"no-{item.get('from')}-then-{item.get('to')}",
            "text": item.get("reason") or f"{item.get('to')} never directly follows {item.get('from')}.",
            "formal": {
                "template": "forbidden_edge",
                "a": {"call": item.get("from")},
                "b": {"call": item.get("to")},
            },
            **{key: item.get(key) for key in ("quote", "force", "severity")},
        }
    text, quote = item.get("text"), item.get("quote")
    if not isinstance(text, str) or not text.strip():
        return Dropped(category, repr(item)[:200], "it has no text")
    if not isinstance(quote, str) or len("".join(quote.split())) < LEAST_QUOTE:
        return Dropped(category, text, "it quotes nothing")
    place = find_quote(quote, sources.prompt)
    if place is None and find_quote(quote, sources.tools) is None and not _in_json(quote, sources.tools):
        return Dropped(category, text, f"its quote is in no source: {quote[:120]!r}")
    slug = re.sub(r"[^a-z0-9]+", "-", str(item.get("id") or text).lower()).strip("-")[:60] or "rule"
    name, number = slug, 2
    while name in taken:
        name, number = f"{slug}-{number}", number + 1
    common: dict[str, Any] = {
        "id": name,
        "text": " ".join(text.split()),
        "category": category,
        "severity": item.get("severity") if item.get("severity") in SEVERITIES else "medium",
        "force": item.get("force") if item.get("force") in FORCES else "mandatory",
        "quote": sources.prompt[place[0] : place[1]] if place else quote,
        "violation": item.get("violation") if item.get("violation") in VIOLATIONS else "",
        "position": Position(place[0], place[1], sources.prompt_sha256) if place else None,
    }
    semantic = Rule(**common, kind="semantic")
    formal = item.get("formal")
    if formal is None:
        why = item.get("why_semantic")
        return Extracted(
            semantic, "semantic", why if isinstance(why, str) and why else "no formal part was given"
        )
    return routed(semantic, formal, sources.toolbox)


def _in_json(quote: str, tools: str) -> bool:
    """Whether a quote stands in the tools as JSON writes it."""
    return find_quote(json.dumps(quote, ensure_ascii=False)[1:-1], tools) is not None


def routed(semantic: Rule, formal: Any, toolbox: Toolbox) -> Extracted:
    """The rule with its formal part where that holds up, else as it was with the reason."""

    def judge(why: str) -> Extracted:
        proposed = (formal,) if isinstance(formal, Mapping) else ()
        return Extracted(semantic, "semantic", why, None, None, (Check("examples", "failed", why),), proposed)

    try:
        compiled = read_formal(formal, semantic.id, {})
    except TruespecError as error:
        return judge(f"its formal part does not compile: {error.message}")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, re.error) as error:
        return judge(f"its formal part does not compile: {error}")
    rule = Rule(
        semantic.id,
        semantic.text,
        semantic.category,
        semantic.severity,
        semantic.force,
        "deterministic",
        compiled,
        semantic.quote,
        semantic.position,
        violation=semantic.violation,
    )
    if toolbox.names is not None:
        asked = {
            name
            for predicate in [*compiled.predicates, *(o.when for o in compiled.obligations if o.when)]
            for condition in p.conditions(predicate)
            if condition[0] == "tool"
            for name in (condition[1] if isinstance(condition[1], (tuple, frozenset)) else condition[1:])
        }
        if strange := sorted(map(str, asked - set(toolbox.names))):
            return judge(f"its formal part names no tool there is: {', '.join(strange)}")
    state = health(rule, toolbox, SECONDS)
    if state.status in ("unsatisfiable", "vacuous", "idle"):
        words = {
            "unsatisfiable": "can never be kept",
            "vacuous": "can never be broken",
            "idle": "never applies",
        }
        return judge(f"its formal part {words[state.status]}")
    found = find_examples(rule, toolbox, SECONDS)
    if not found.both:
        lacking = "kept" if found.keeps is None else "broken"
        return judge(f"its formal part was not tested: no conversation was found in which it is {lacking}")
    why = "compiled, and tested on a conversation of each kind"
    return Extracted(rule, "deterministic", why, formal, found, (Check("examples", "passed", why),))


def read_plan(reply: str, trace: Trace) -> tuple[tuple[PlanStep, ...], tuple[Dropped, ...]] | str:
    """The plan of a reply; arguments whose values stand in no source are left open and counted."""
    value = read_object(reply)
    listed = value.get("steps") if value is not None else None
    if not isinstance(listed, list):
        return "expected an object with a list of steps"
    spoken = _spoken(trace)
    dropped: list[Dropped] = []
    kept: dict[int, PlanStep] = {}
    for number, item in enumerate(listed):
        tool = item.get("tool") if isinstance(item, Mapping) else None
        if not isinstance(tool, str) or (trace.tools is not None and tool not in trace.schemas):
            dropped.append(Dropped("plan", repr(item)[:200], "it names no tool there is"))
            continue
        given = item.get("arguments")
        arguments = {}
        for name, inner in (given if isinstance(given, Mapping) else {}).items():
            if _literal(inner, spoken):
                arguments[str(name)] = inner
            else:
                dropped.append(Dropped("plan", f"{tool}: {name}={inner!r}", "the value stands in no source"))
        kind = trace.kinds.get(tool)
        after = item.get("after")
        earlier = tuple(
            n - 1
            for n in (after if isinstance(after, Sequence) and not isinstance(after, str) else ())
            if isinstance(n, int) and not isinstance(n, bool) and n - 1 in kept
        )
        text = item.get("text")
        kept[number] = PlanStep(
            tool,
            arguments,
            text if isinstance(text, str) else "",
            earlier,
            kind == "write" if kind is not None else item.get("changes") is True,
        )
    places = {number: place for place, number in enumerate(kept)}
    steps = tuple(
        PlanStep(s.tool, s.arguments, s.text, tuple(places[n] for n in s.after), s.changes)
        for s in kept.values()
    )
    return steps, tuple(dropped)


def read_state(reply: str, trace: Trace) -> tuple[dict[str, Any], tuple[Dropped, ...]] | str:
    """The facts of a reply; those with a value that stands in no source are dropped and counted."""
    value = read_object(reply)
    listed = value.get("facts") if value is not None else None
    if not isinstance(listed, list):
        return "expected an object with a list of facts"
    spoken = _spoken(trace)
    facts: dict[str, Any] = {}
    dropped: list[Dropped] = []
    for item in listed:
        path = item.get("path") if isinstance(item, Mapping) else None
        if not isinstance(path, str) or not path or "value" not in item:
            dropped.append(Dropped("final_state", repr(item)[:200], "it has no path or no value"))
        elif not _literal(item["value"], spoken):
            text = f"{path} = {item['value']!r}"
            dropped.append(Dropped("final_state", text, "the value stands in no source"))
        else:
            facts[path] = item["value"]
    return facts, tuple(dropped)


def _spoken(trace: Trace) -> str:
    """All that a value may be taken from: the request, the initial state, what was said and returned."""
    state = json.dumps(initial_state_of(trace) or {}, ensure_ascii=False, default=str)
    said = "\n".join(m.text or "" for m in trace.messages)
    return f"{request_of(trace)}\n{state}\n{said}".lower()


def _literal(value: Any, spoken: str) -> bool:
    """Whether a value, or every value in it, stands in a text."""
    if isinstance(value, Mapping):
        return all(_literal(inner, spoken) for inner in value.values())
    if isinstance(value, list):
        return all(_literal(inner, spoken) for inner in value)
    if value is None or isinstance(value, bool):
        # These have no spelling of their own in speech; they say what is or is not so.
        return True
    text = (value if isinstance(value, str) else json.dumps(value)).lower()
    return bool(re.search(rf"(?<![\w.]){re.escape(text)}(?![\w]|\.\d)", spoken)) if text else True
