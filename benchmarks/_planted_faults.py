"""Faults planted in the formal parts of hand-written rules, and extractors that make them.

Each rule of the bundled sets is the truth. The scripted extractor gives it with one fault: inverted, off by
one, with the wrong scope, or strong for weak. A reader of conversations knows the truth, and is wrong at a
known rate. So for each rule it is known whether the checks let a wrong monitor pass, or lose a right one.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmarks._rule_readers import reply_of
from truespec.executors.extract_checks import Checking
from truespec.extraction.read import Extracted, Extraction, routed
from truespec.models.call import Call, Settings
from truespec.rules import predicate as p
from truespec.rules.compare import Toolbox, compare
from truespec.rules.compiled import all_predicates
from truespec.rules.language import load_rules
from truespec.rules.rule import Rule
from truespec.rules.sets import set_names, set_text
from truespec.rules.yaml_text import load_yaml
from truespec.traces.trace import ToolSchema

KINDS = ("inverted", "off by one", "wrong scope", "strong for weak")
SECONDS = 3.0
Formal = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Truth:
    """A rule as a person wrote it."""

    rule: Rule
    formal: Formal
    """Its formal part as it is written, with the file's definitions."""
    toolbox: Toolbox


@dataclass(frozen=True, slots=True)
class Scripted:
    """How a scripted extractor formalises and reads."""

    name: str
    again_faulty: int
    """Of 100 second and third formal parts, so many have a fault of their own."""
    repeats: bool
    """Whether it makes its first fault each time."""
    misread: int
    """Of 100 questions about conversations, so many are answered wrong."""


SCRIPTS = (
    Scripted("independent faults, reads well", 25, False, 0),
    Scripted("the same fault each time, reads well", 0, True, 0),
    Scripted("independent faults, misreads 1 of 50", 25, False, 2),
    Scripted("the same fault each time, misreads 1 of 50", 0, True, 2),
)


def truths(names: Sequence[str] = ()) -> list[Truth]:
    """The rules of the bundled sets that a monitor checks."""
    found = []
    for name in names or set_names():
        written = load_yaml(set_text(name), name)
        rules = {rule.id: rule for rule in load_rules(set_text(name), name)}
        for item in written["rules"]:
            rule = rules[item["id"]]
            if rule.formal is None:
                continue
            formal = copy.deepcopy(item["formal"])
            formal["define"] = _needed(formal, {**(written.get("define") or {}), **formal.get("define", {})})
            found.append(Truth(rule, formal, _tools(list(rules.values()))))
    return found


def _needed(formal: Formal, defined: Mapping[str, Any]) -> dict[str, Any]:
    """The definitions of which a formal part, or another definition of it, speaks."""
    text = json.dumps({key: value for key, value in formal.items() if key != "define"})
    kept: dict[str, Any] = {}
    while more := {name: body for name, body in defined.items() if name not in kept and name in text}:
        kept |= more
        text += json.dumps(list(more.values()))
    return kept


def _tools(rules: Sequence[Rule]) -> Toolbox:
    """The tools and arguments of which the rules of a set speak, and one tool of each type beside them."""
    names: dict[str, set[str]] = {}
    for rule in rules:
        for predicate in all_predicates(rule.formal) if rule.formal is not None else ():
            listed = list(p.conditions(predicate))
            called = {str(name) for c in listed if c[0] == "tool" for name in c[1]}
            paths = {c[1].split(".")[0] for c in listed if c[0] in ("arg", "absent")}
            for tool in called:
                names.setdefault(tool, set()).update(path for path in paths if "*" not in path)
    tools = [
        ToolSchema(name, {"type": "object", "properties": {a: {} for a in sorted(arguments)}}, kind="write")
        for name, arguments in sorted(names.items())
    ]
    others = [
        ToolSchema(f"some_{kind}", {"type": "object"}, kind=kind) for kind in ("read", "write", "generic")
    ]
    return Toolbox((*tools, *others))


def faults(formal: Formal) -> Iterator[tuple[str, Formal]]:
    """The formal part with one fault planted, each with its kind; not all change the meaning."""
    template = formal.get("template")
    for field in ("require", "formula"):
        if field in formal:
            text = formal[field]
            yield "inverted", {**formal, field: f"!({text})"}
            for old, new in (("O ", "Y "), ("F ", "X "), ("Y(O ", "(O ")):
                if old in text:
                    yield "off by one", {**formal, field: text.replace(old, new, 1)}
            yield "off by one", {**formal, field: f"N ({text})"}
            for old, new in ((" S ", " B "), (" U ", " W "), (" W ", " U "), ("F ", "G "), ("O ", "H ")):
                if old in text:
                    yield "strong for weak", {**formal, field: text.replace(old, new, 1)}
    exchanged = {"precedence": "response", "response": "precedence", "absence": "existence"}
    exchanged |= {"existence": "absence", "not_succession": "succession", "forbidden_edge": "chain_response"}
    if template in exchanged:
        rest = {key: value for key, value in formal.items() if key != "n"}
        yield "inverted", {**rest, "template": exchanged[template]}
    near = {
        "precedence": "chain_precedence",
        "response": "chain_response",
        "not_succession": "not_chain_succession",
    }
    if template in near:
        yield "off by one", {**formal, "template": near[template]}
    if template in ("absence", "existence"):
        yield "off by one", {**formal, "n": formal.get("n", int(template == "existence")) + 1}
    strong = {"precedence": "succession", "response": "succession", "forbidden_edge": "not_succession"}
    if template in strong:
        yield "strong for weak", {**formal, "template": strong[template]}
    for made in _scopes(formal):
        yield "wrong scope", made


def _scopes(formal: Formal) -> Iterator[Formal]:
    """Formal parts in which one predicate is wider, narrower, or of the other kind of event."""
    for path, node in _mappings(formal, ()):
        for key in ("ok", "failed", "args", "text", "says", "calls"):
            if key in node and len(node) > 1 and "$" not in json.dumps(node[key]):
                yield _changed(formal, path, {k: v for k, v in node.items() if k != key})
        if "result" in node:
            rest = {k: v for k, v in node.items() if k not in ("result", "ok", "failed")}
            yield _changed(formal, path, {**rest, "call": node["result"]})
        if node.get("message") == "user":
            yield _changed(formal, path, {**node, "message": "any"})
        if isinstance(node.get("call"), list) and len(node["call"]) > 1:
            yield _changed(formal, path, {**node, "call": node["call"][1:]})


def _mappings(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    if isinstance(value, dict):
        if path:
            yield path, value
        for key, inner in value.items():
            yield from _mappings(inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _mappings(inner, (*path, number))


def _changed(formal: Formal, path: tuple[Any, ...], new: Any) -> Formal:
    made = copy.deepcopy(formal)
    at: Any = made
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = new
    return made


@dataclass(frozen=True, slots=True)
class Planted:
    """A wrong formal part for a rule."""

    truth: Truth
    kind: str
    extracted: Extracted
    """As the extractor gives it; it has passed the first check."""


def planted(found: Sequence[Truth]) -> list[Planted]:
    """For each rule and kind, the first fault that compiles, passes the first check, and is proved to mean
    something else."""
    made = []
    for truth in found:
        taken: set[str] = set()
        for kind, formal in faults(truth.formal):
            if kind in taken:
                continue
            one = _routed(truth, formal)
            if one.route == "deterministic" and _relation(truth, one) not in ("equal", "unknown"):
                taken.add(kind)
                made.append(Planted(truth, kind, one))
    return made


def _routed(truth: Truth, formal: Formal) -> Extracted:
    one = routed(replace(truth.rule, kind="semantic", formal=None), formal, truth.toolbox)
    if one.formal is None:
        return one
    return replace(one, rule=replace(one.rule, domains=truth.rule.domains))


def _relation(truth: Truth, one: Extracted) -> str:
    return compare(truth.rule, one.rule, truth.toolbox, SECONDS).relation


class Counted:
    """What became of the rules of one script."""

    def __init__(self) -> None:
        self.planted: Counter[str] = Counter()
        self.slipped: Counter[str] = Counter()
        self.mended: Counter[str] = Counter()
        self.good = 0
        self.lost = 0
        self.named: list[str] = []
        """Each rule that passed wrong, or was lost, with the reason."""

    @property
    def caught(self) -> float:
        """The share of planted faults of which no wrong monitor is left."""
        return 1 - self.slipped.total() / max(1, self.planted.total())

    @property
    def lost_share(self) -> float:
        """The share of right formal parts that were left to judges."""
        return self.lost / max(1, self.good)


def run(script: Scripted, found: Sequence[Truth], wrong: Sequence[Planted]) -> Counted:
    """Put the right rules and the wrong ones through the second and third check."""
    counted = Counted()
    for truth in found:
        one = _routed(truth, truth.formal)
        if one.route != "deterministic" or _relation(truth, one) != "equal":
            continue
        after = _checked(script, truth, one)
        counted.good += 1
        if after.route != "deterministic" or _relation(truth, after) != "equal":
            counted.lost += 1
            counted.named.append(f"lost: {truth.rule.id}: {after.why}")
    for case in wrong:
        counted.planted[case.kind] += 1
        after = _checked(script, case.truth, case.extracted)
        if after.route != "deterministic":
            continue
        if _relation(case.truth, after) == "equal":
            counted.mended[case.kind] += 1
        else:
            counted.slipped[case.kind] += 1
            counted.named.append(f"passed wrong: {case.truth.rule.id} ({case.kind})")
    return counted


def _checked(script: Scripted, truth: Truth, one: Extracted) -> Extracted:
    def ask(calls: Mapping[Any, Call], read: Any) -> dict[Any, Any]:
        return {place: read(place, _reply(script, truth, one, call)) for place, call in calls.items()}

    checking = Checking(ask, "scripted", "scripted", Settings())
    return checking.check({"k": Extraction((one,))}, {"k": truth.toolbox})["k"].rules[0]


def _reply(script: Scripted, truth: Truth, one: Extracted, call: Call) -> str:
    # Not by the prompt, so that its wording and the number of tools change no draw.
    draw = hashlib.sha256(f"{script.name}{call.subject}{one.formal}".encode()).digest()
    answer = reply_of(call, truth.rule, truth.toolbox.tools or ())
    if answer is not None and draw[0] * 100 < script.misread * 256:
        answer = {"kept": "broken", "broken": "kept", "A": "B"}.get(answer, "A")
    if call.subject.startswith("extract/read_back/"):
        return json.dumps({"kept": answer})
    formal: Any = truth.formal
    if script.repeats:
        formal = one.formal
    elif draw[1] * 100 < script.again_faulty * 256:
        slips = [made for _, made in faults(truth.formal)]
        formal = slips[draw[2] % len(slips)]
    return json.dumps({"formal": formal, **({"answer": answer} if answer else {})})
