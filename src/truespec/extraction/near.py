"""Rules that a formal part could have been meant to be: one slip away from it.

A wrong formal part is often one slip away from the right one. So the right one is often among the near
misses of the wrong one, and a conversation on which the two differ shows the fault to a reader.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from truespec.rules import formula as f
from truespec.rules import predicate as p
from truespec.rules.rule import Formal, Obligation, Rule
from truespec.rules.witness import ANY_TOOLS, Toolbox
from truespec.traces.trace import ToolSchema

MOST = 40
"""The most near misses of one rule."""


def near_misses(rule: Rule, toolbox: Toolbox = ANY_TOOLS) -> tuple[tuple[str, Rule], ...]:
    """Rules that differ from this one in one place, each with the name of the slip; at most `MOST`.

    Where the agent's tools are known, the rule may have been meant of one tool more, and of calls with fewer
    arguments than their tools take. The formal parts are well-formed. They may mean the same as the rule's
    own.
    """
    formal = rule.formal
    if formal is None:
        return ()
    found: dict[tuple[object, ...], tuple[str, Rule]] = {}
    for slip, made in _slips(formal, toolbox):
        key = (made.predicates, made.obligations, made.over)
        if made != formal and key not in found:
            found[key] = (slip, replace(rule, id=f"{rule.id}:{len(found)}", formal=made))
        if len(found) == MOST:
            break
    return tuple(found.values())


ANOTHER_TOOL = "another tool"
"""The slip of a rule that is meant of one tool more."""
COMPLETE = "a complete call"
"""The slip of a rule that is meant of calls which lack an argument."""
MOST_TOOLS = 10
"""The most other tools for one predicate, those first whose names are alike."""
ORDER = (
    "inverted",
    "exchanged",
    "direction",
    "success not asked for",
    "words not asked for",
    "data not asked for",
    ANOTHER_TOOL,
    COMPLETE,
    "outcome",
    "strength",
    "moment",
    "a part left out",
    "bound",
    "side",
    "attempt for result",
    "a condition left out",
    "speaker",
    "a tool too many",
)
"""The slips, the likeliest and gravest first."""


def _slips(formal: Formal, toolbox: Toolbox) -> Iterator[tuple[str, Formal]]:
    """One slip of each kind, then a second one of each, so that a few questions meet many kinds."""
    seen: Counter[str] = Counter()
    placed = []
    for slip, made in _unsorted(formal, toolbox):
        placed.append((seen[slip] if slip != ANOTHER_TOOL else 0, ORDER.index(slip), slip, made))
        seen[slip] += 1
    yield from ((slip, made) for _, _, slip, made in sorted(placed, key=lambda one: one[:2]))


def _unsorted(formal: Formal, toolbox: Toolbox) -> Iterator[tuple[str, Formal]]:
    for place, obligation in enumerate(formal.obligations):
        for slip, require in _requires(obligation):
            yield slip, _with(formal, place, Obligation(obligation.when, require))
        for slip, made in _turned(formal, obligation):
            yield slip, _with(formal, place, made)
    for place, obligation in enumerate(formal.obligations):
        for path in formal.bind.values():
            given = ("not", ("absent", path.removeprefix("args.")))
            if path.startswith("args.") and obligation.when is not None:
                when = p.all_of(obligation.when, given)
                yield "data not asked for", _with(formal, place, Obligation(when, obligation.require))
    asked = [*formal.predicates, *(o.when for o in formal.obligations if o.when is not None)]
    for predicate in dict.fromkeys(asked):
        for slip, other in (
            *_narrower(predicate),
            *_predicates(predicate),
            *_other_tools(predicate, toolbox),
            *_incomplete(predicate, toolbox),
        ):
            yield slip, _swapped(formal, predicate, other)


def _with(formal: Formal, place: int, obligation: Obligation) -> Formal:
    listed = (*formal.obligations[:place], obligation, *formal.obligations[place + 1 :])
    return replace(formal, obligations=listed)


def _requires(obligation: Obligation) -> Iterator[tuple[str, f.Formula]]:
    require = obligation.require
    yield "inverted", f.negation(require)
    for slip, change in (("direction", _direction), ("strength", _strength), ("moment", _moment)):
        for made in _everywhere(require, change):
            yield slip, made
    for made in _everywhere(require, _parts):
        yield "a part left out", made


def _turned(formal: Formal, obligation: Obligation) -> Iterator[tuple[str, Obligation]]:
    """The obligation with its two ends exchanged: after a, b; before b, a."""
    require, when = obligation.require, obligation.when
    if when is None or require.kind not in (f.UNTIL, f.SINCE) or require.items[1].kind != f.ATOM:
        return
    end = formal.predicates[require.items[1].atom]
    if when in formal.predicates and not p.variables(end) and not formal.bind:
        start = f.atom(formal.predicates.index(when))
        for back in (f.once, f.finally_):
            yield "exchanged", Obligation(end, back(start))


def _direction(one: f.Formula) -> Iterator[f.Formula]:
    other = {
        f.UNTIL: f.since,
        f.SINCE: f.until,
        f.RELEASE: f.triggered,
        f.TRIGGERED: f.release,
    }
    if one.kind in other:
        yield other[one.kind](*one.items)
    step = {f.NEXT: f.yesterday, f.YESTERDAY: f.next_}
    if one.kind in step:
        yield step[one.kind](*one.items)


def _strength(one: f.Formula) -> Iterator[f.Formula]:
    dual = {
        f.NEXT: f.weak_next,
        f.WEAK_NEXT: f.next_,
        f.YESTERDAY: f.weak_yesterday,
        f.WEAK_YESTERDAY: f.yesterday,
    }
    if one.kind in dual:
        yield dual[one.kind](one.items[0])
    elif one.kind in (f.UNTIL, f.SINCE):
        left, right = one.items
        weak = f.release if one.kind == f.UNTIL else f.triggered
        if left is f.T:
            yield weak(f.F, right)
        else:
            yield weak(right, f.either(left, right))
    elif one.kind in (f.RELEASE, f.TRIGGERED):
        left, right = one.items
        strong = f.until if one.kind == f.RELEASE else f.since
        yield strong(f.T, right) if left is f.F else strong(right, f.both(left, right))


def _moment(one: f.Formula) -> Iterator[f.Formula]:
    if one.kind in (f.UNTIL, f.NEXT):
        yield f.next_(one)
    elif one.kind in (f.RELEASE, f.WEAK_NEXT):
        yield f.weak_next(one)
    elif one.kind in (f.SINCE, f.YESTERDAY):
        yield f.yesterday(one)
    elif one.kind in (f.TRIGGERED, f.WEAK_YESTERDAY):
        yield f.weak_yesterday(one)
    if one.kind in (f.NEXT, f.WEAK_NEXT, f.YESTERDAY, f.WEAK_YESTERDAY):
        yield one.items[0]
        some = f.finally_ if one.kind in f.FUTURE else f.once
        yield some(one.items[0])
    if one.kind in (f.UNTIL, f.SINCE) and one.items[0] is f.T:
        yield (f.next_ if one.kind == f.UNTIL else f.yesterday)(one.items[1])


def _parts(one: f.Formula) -> Iterator[f.Formula]:
    if one.kind in (f.AND, f.OR):
        join = f.both if one.kind == f.AND else f.either
        for place in range(len(one.items)):
            yield join(*one.items[:place], *one.items[place + 1 :])


def _everywhere(
    formula: f.Formula, change: Callable[[f.Formula], Iterator[f.Formula]]
) -> Iterator[f.Formula]:
    yield from change(formula)
    for place, item in enumerate(formula.items):
        for made in _everywhere(item, change):
            yield _rebuilt(formula, (*formula.items[:place], made, *formula.items[place + 1 :]))


_BUILD: dict[int, Callable[..., f.Formula]] = {
    f.AND: f.both,
    f.OR: f.either,
    f.NEXT: f.next_,
    f.WEAK_NEXT: f.weak_next,
    f.UNTIL: f.until,
    f.RELEASE: f.release,
    f.YESTERDAY: f.yesterday,
    f.WEAK_YESTERDAY: f.weak_yesterday,
    f.SINCE: f.since,
    f.TRIGGERED: f.triggered,
}


def _rebuilt(formula: f.Formula, items: tuple[f.Formula, ...]) -> f.Formula:
    return _BUILD[formula.kind](*items)


_BOUNDS = {"gt": "ge", "ge": "gt", "lt": "le", "le": "lt"}
_OPPOSITE = {"gt": "le", "ge": "lt", "lt": "ge", "le": "gt", "in": "not_in", "not_in": "in"}


def _narrower(one: p.Predicate) -> Iterator[tuple[str, p.Predicate]]:
    """The predicate with a condition more that may have been forgotten."""
    parts = one[1:] if one[0] == "and" else (one,)
    kinds = {part[0] for part in parts}
    if kinds & {"tool", "tool~", "type"} and "failed" not in kinds:
        others = [part for part in parts if part[0] != "kind"]
        yield "success not asked for", p.all_of(*parts, ("failed", False))
        yield "attempt for result", p.all_of(*others, ("kind", "result"), ("failed", False))
    if ("kind", "message") in parts:
        if not kinds & {"says", "text~", "text=", "text+"}:
            yield "words not asked for", p.all_of(*parts, ("says",))
        if "by" not in kinds:
            yield "speaker", p.all_of(*parts, ("by", "user"))


def _predicates(one: p.Predicate) -> Iterator[tuple[str, p.Predicate]]:
    """The predicate with one condition changed, or left out."""
    if one[0] in ("and", "or"):
        join = p.all_of if one[0] == "and" else p.any_of
        for place, part in enumerate(one[1:], start=1):
            rest = (*one[1:place], *one[place + 1 :])
            known = part[0] in ("kind", "by")  # nobody forgets that a call is a call
            if not known and (not p.variables(part) or p.variables(join(*rest))):
                yield "a condition left out", join(*rest)
            for slip, other in _predicates(part):
                yield slip, join(*one[1:place], other, *one[place + 1 :])
    elif one[0] == "not":
        for slip, other in _predicates(one[1]):
            yield slip, p.none_of(other)
    elif one[0] == "failed":
        yield "outcome", ("failed", not one[1])
    elif one[0] == "kind" and one[1] in ("call", "result"):
        yield "attempt for result", ("kind", "result" if one[1] == "call" else "call")
    elif one[0] == "by":
        yield "speaker", ("by", "assistant" if one[1] == "user" else "user")
    elif one[0] == "arg":
        for table, slip in ((_BOUNDS, "bound"), (_OPPOSITE, "side")):
            if one[2] in table:
                yield slip, (*one[:2], table[one[2]], *one[3:])


def _other_tools(one: p.Predicate, toolbox: Toolbox) -> Iterator[tuple[str, p.Predicate]]:
    """The predicate with one tool more than it names, and with one less."""
    parts = one[1:] if one[0] == "and" else (one,)
    for place, part in enumerate(parts):
        if part[0] != "tool":
            continue
        names = tuple(part[1])
        others = sorted(
            (tool for tool in toolbox.tools or () if tool.name not in names),
            key=lambda tool: -_alike(tool, names, toolbox),
        )
        lists = [(ANOTHER_TOOL, sorted((*names, tool.name))) for tool in others[:MOST_TOOLS]]
        if len(names) > 1:
            lists += [("a tool too many", [n for n in names if n != name]) for name in names]
        for slip, listed in lists:
            yield slip, p.all_of(*parts[:place], ("tool", type(part[1])(listed)), *parts[place + 1 :])


def _alike(tool: ToolSchema, names: Sequence[str], toolbox: Toolbox) -> int:
    """How much a tool is like those of these names: words in common, and what it does."""
    kinds = {other.kind for other in toolbox.tools or () if other.name in names}
    words = {word for name in names for word in name.lower().split("_")}
    return 2 * len(words & set(tool.name.lower().split("_"))) + (tool.kind in kinds)


def _incomplete(one: p.Predicate, toolbox: Toolbox) -> Iterator[tuple[str, p.Predicate]]:
    """The predicate of calls that lack one of the arguments which the schemas of their tools name."""
    parts = one[1:] if one[0] == "and" else (one,)
    names = {name for part in parts if part[0] == "tool" for name in part[1]}
    known = {part[1].split(".")[0] for part in parts if part[0] in ("arg", "absent")}
    schemas = [tool.parameters or {} for tool in toolbox.tools or () if tool.name in names]
    listed = sorted({str(name) for schema in schemas for name in schema.get("properties") or {}} - known)
    plain = [name for name in listed if "." not in name and "*" not in name]
    if ("kind", "call") in parts and plain:
        yield COMPLETE, p.all_of(*parts, p.any_of(*(("absent", name) for name in plain)))


def _swapped(formal: Formal, old: p.Predicate, new: p.Predicate) -> Formal:
    obligations = tuple(Obligation(new if o.when == old else o.when, o.require) for o in formal.obligations)
    predicates = tuple(new if q == old else q for q in formal.predicates)
    return replace(formal, predicates=predicates, obligations=obligations)
