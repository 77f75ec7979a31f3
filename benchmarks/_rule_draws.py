"""Random conditions, rules and traces at the borders that conditions draw: for `benchmarks.cells`."""

from __future__ import annotations

import json
import math
import random
from typing import Any

from truespec.rules.algebra import Cell
from truespec.rules.language import read_rule
from truespec.rules.predicate import Predicate
from truespec.rules.reading import read_predicate
from truespec.rules.rule import Rule
from truespec.rules.templates import TEMPLATES
from truespec.traces import Message, Source, ToolCall, ToolSchema, Trace
from truespec.verdict import SpecificationError

LETTERS = "aAbBsSſkK\u212aΣσςİi\u0307ßẞ1 \n\t\u2003._-é\ud800"
PIECES = (
    "a", "b", "[ab]*", "a+", "(?:a|b)", "^", "$", r"\b", r"\s", r"\S", ".", "(?i:k)", "a{2,3}", "(?=a)",
    "(?!b)", "Σ", "(?i:σ)", "(?s:.)", r"\Z", "[^a]", r"\w+", "(?<=a)", "1?",
)  # fmt: skip
NAMES = ("f", "g", "find_order", "refund_order", "refund", "some_other_tool", "other_tool", "", "a\nb", "Σ")
NAME_PATTERNS = (
    ".*order.*",
    ".*refund.*",
    ".*_tool",
    "(?s).*",
    ".*",
    "f|g",
    "[a-z_]+",
    "",
    "(aa)+",
    "a(aa)*",
)
NUMBERS: tuple[Any, ...] = (
    0, 1, 1.0, 1.5, 2, -1, -0.0, 0.1, 2**53, 2**53 + 1, float(2**53), 10**400, math.inf, -math.inf, math.nan,
    math.nextafter(1, 2), 1e-300,
)  # fmt: skip
PATHS = ("x", "y", "x.a", "l.*.id", "*", "l.0", "l.*", "a*", "x.*")
SCHEMA = {"type": "object", "properties": {"x": {"type": "integer"}}}


class Draw:
    """One pool of values after another; what a pool's conditions draw borders at is drawn for its events."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.looks_back = random.Random(seed ^ 0x5EED)
        """What conditions with registers are drawn by; apart, so that other draws stay as they are."""
        self.fresh()

    def fresh(self) -> None:
        """Begin another pool."""
        self.texts = [self.text() for _ in range(12)] + [""]
        self.values = [self.value(2) for _ in range(14)]
        self.names = list(NAMES)
        self.patterns = ["".join(self.rng.choices(PIECES, k=self.rng.randrange(1, 4))) for _ in range(5)]
        self.pool = [made for _ in range(16) if (made := self.condition()) is not None]
        self.seen: list[dict[str, Any]] = []

    def learn(self, listed: list[Cell]) -> None:
        """Draw from now on what the witnesses of cells hold, too."""
        for cell in listed:
            event = cell.witness
            if event is None:
                continue
            if event.text is not None and len(self.texts) < 60:
                self.texts.append(event.text)
            if event.args and len(self.seen) < 60:
                self.seen.append(dict(event.args))
            if event.tool is not None and len(self.names) < 30:
                self.names.append(event.tool)

    def text(self) -> str:
        return "".join(self.rng.choices(LETTERS, k=self.rng.randrange(5)))

    def near(self, text: str) -> str:
        """A text close to another: letters put in, left out, or in another case."""
        rng = self.rng
        way = rng.randrange(7)
        at = rng.randrange(len(text) + 1)
        if way < 2:
            return text[:at] + rng.choice(LETTERS) + text[at:]
        if way == 2:
            return text[:at] + text[at + 1 :]
        if way == 3:
            return rng.choice((text.upper(), text.lower(), text.swapcase(), text.title(), text.casefold()))
        return text + rng.choice(self.texts) if way == 4 else text

    def value(self, depth: int) -> Any:
        rng = self.rng
        way = rng.randrange(8 if depth else 5)
        if way < 2:
            return rng.choice(NUMBERS)
        if way == 2:
            return rng.choice((True, False, None))
        if way < 5:
            return self.text() if rng.random() < 0.5 else rng.choice(self.texts)
        if way == 5:
            return {rng.choice(("a", "k", "id")): self.value(depth - 1) for _ in range(rng.randrange(3))}
        return [self.value(depth - 1) for _ in range(rng.randrange(3))]

    def beside(self, value: Any) -> Any:
        """A value close to another one."""
        rng = self.rng
        if isinstance(value, bool):
            return rng.choice((value, int(value), not value))
        if isinstance(value, int | float):
            ways: list[Any] = [value, -value, str(value), [value], value == 1]
            if isinstance(value, int) or math.isfinite(value):
                ways += [value + 1, value - 1, int(value)]
                if abs(value) < 1e300:
                    ways += [float(value), math.nextafter(float(value), math.inf), value + 0.5]
            return rng.choice(ways)
        if isinstance(value, str):
            return self.near(value)
        if isinstance(value, list):
            return rng.choice(
                (value, [*value, self.value(0)], value[1:], value[::-1], [self.beside(v) for v in value])
            )
        if isinstance(value, dict):
            return rng.choice((value, {k: self.beside(v) for k, v in value.items()}, {**value, "more": 1}))
        return value

    # Conditions -----------------------------------------------------------------------------------

    def condition(self) -> dict[str, Any] | None:
        """One mapping of conditions as a rule file would hold it; None where it is refused."""
        rng = self.rng
        made: dict[str, Any] = {}
        kind = rng.randrange(9)
        if kind < 3:
            made[rng.choice(("call", "call", "result"))] = self.tool()
        elif kind == 3:
            made["message"] = rng.choice(("any", "user", "assistant"))
        elif kind == 4:
            made["kind"] = rng.choice(("message", "call", "result"))
        for _ in range(rng.randrange(1, 3) if kind > 4 else rng.randrange(3)):
            way = rng.randrange(9)
            if way < 3:
                made["args"] = {rng.choice(PATHS): self.operand() for _ in range(rng.choice((1, 1, 2)))}
            elif way < 6:
                made["text"] = self.said()
            elif way == 6:
                made["says"] = rng.random() < 0.5
            elif way == 7:
                made[rng.choice(("ok", "failed"))] = rng.random() < 0.7
            else:
                key, value = rng.choice(
                    (("calls", {"min": rng.randrange(3)}), ("calls", rng.randrange(3)), ("type", "write"),
                     ("fits_schema", True), ("by", "user"), ("coded", "mental_arithmetic"))
                )  # fmt: skip
                made[key] = value
        if self.looks_back.random() < 0.08:
            made.update(self.history())
        if made and rng.random() < 0.2:
            made = {"not": made}
        try:
            read_predicate(made, "drawn")
        except SpecificationError:
            return None
        return made or None

    def history(self) -> dict[str, Any]:
        """A condition on what came before."""
        rng = self.looks_back
        operator = rng.choice(("gt", "ge", "lt", "le", "eq", "ne"))
        of = rng.choice(
            ({"call": "any"}, {"call": rng.choice(NAMES)}, {"message": "user"}, {"result": "any", "ok": True})
        )
        same = rng.choice(({}, {"same": rng.choice(PATHS)}, {"same": {"x": "y"}}))
        way = rng.randrange(3)
        if way == 0:
            missing = rng.choice(({}, {"missing": True}, {"missing": False}))
            asked = {"arg": rng.choice(PATHS), operator: rng.choice(("", "x")), "result": rng.choice(NAMES)}
            return {"against_result": {**asked, **same, **missing}}
        if way == 1:
            added = rng.choice(({}, {}, {"sum": rng.choice(PATHS)}))
            return {"so_far": {"of": of, operator: rng.randrange(4), **added, **same}}
        return {"elapsed": {"since": of, operator: rng.randrange(3)}}

    def tool(self) -> Any:
        rng = self.rng
        way = rng.randrange(6)
        if way < 2:
            return rng.choice(NAMES)
        if way == 2:
            return rng.sample(NAMES, 2)
        made = {"matches": rng.choice(NAME_PATTERNS)}
        return {"not": made} if way == 3 else made if way == 4 else "any"

    def said(self) -> Any:
        rng = self.rng
        word = rng.choice(self.texts)
        options: list[Any] = [
            {"contains": word}, {"contains": word, "ignore_case": True}, {"equals": word},
            {"words": [word or "a"]},
            {"equals": word, "ignore_case": True}, {"matches": rng.choice(self.patterns)},
            {"matches": rng.choice(self.patterns), "ignore_case": True},
            {"contains": rng.choice(self.texts), "not": {"matches": rng.choice(self.patterns)}},
        ]  # fmt: skip
        return rng.choice(options)

    def operand(self) -> Any:
        rng = self.rng
        made: dict[str, Any] = {}
        for _ in range(rng.choice((1, 1, 2))):
            operator = rng.choice(
                ("eq", "ne", "gt", "ge", "lt", "le", "in", "not_in", "matches", "contains", "exists", "type",
                 "min_length", "max_length", "schema")
            )  # fmt: skip
            value = rng.choice(self.values)
            if operator in ("gt", "ge", "lt", "le"):
                value = rng.choice(NUMBERS if rng.random() < 0.7 else self.texts)
                self.values.append(value)
            elif operator in ("in", "not_in"):
                value = [value, rng.choice(self.values)]
            elif operator == "matches":
                value = rng.choice(self.patterns)
            elif operator == "exists":
                value = rng.random() < 0.5
            elif operator == "type":
                value = rng.choice(("string", "number", "integer", "boolean", "array", "object", "null"))
            elif operator.endswith("length"):
                value = rng.choice((0, 1, 2, 2.5, math.inf))
            elif operator == "schema":
                value = rng.choice(({"type": "integer"}, {"enum": ["a", None]}, {"minItems": 1}))
            made[operator] = value
        return made

    def predicates(self) -> list[Predicate]:
        """Some predicates of the pool, joined at random."""
        rng = self.rng
        made = []
        for _ in range(rng.randrange(1, 4)):
            parts = rng.sample(self.pool, min(len(self.pool), rng.choice((1, 1, 2, 3))))
            joined: Any = parts[0] if len(parts) == 1 else {rng.choice(("any", "all")): parts}
            if rng.random() < 0.2:
                joined = {"not": joined}
            made.append(read_predicate(joined, "drawn"))
        return made

    # Rules ------------------------------------------------------------------------------------------

    def rule(self, name: str) -> Rule:
        """A rule over predicates of the pool; half of them few, so that many rules are related."""
        rng = self.rng
        few = self.pool[:3] if rng.random() < 0.7 else self.pool
        formal: dict[str, Any] = {}
        define = {key: rng.choice(few) for key in "ab"}
        way = rng.random()
        if way < 0.3:
            formal = {"template": "absence", "a": {"all": rng.choices(few, k=rng.choice((1, 2)))}}
        elif way < 0.6:
            formal = {"template": rng.choice(tuple(TEMPLATES)), "a": define["a"], "b": define["b"]}
            formal["n"] = rng.choice((0, 1, 2))
        elif way < 0.8:
            formal = {"formula": self.formula(2), "define": define}
        else:
            bind = {"v": rng.choice(("args.x", "args.y", "tool", "text", "args"))}
            define["v"] = rng.choice(({"mentions": "$v"}, {"args": {"x": "$v"}}, {"tool_is": "$v"}))
            formal = {
                "when": rng.choice(few),
                "require": self.formula(2, "abv"),
                "define": define,
                "bind": bind,
            }
        if rng.random() < 0.3:
            formal["over"] = rng.choice(("calls", "messages"))
        if rng.random() < 0.1:
            formal["results"] = "last"
        made = {"id": name, "text": "t", "formal": formal}
        if rng.random() < 0.1:
            made["domains"] = rng.choice(("airline", "retail"))
        return read_rule(made, "drawn")

    def formula(self, depth: int, names: str = "ab") -> str:
        rng = self.rng
        if not depth or rng.random() < 0.2:
            return rng.choice(names)
        if rng.random() < 0.6:
            return f"{rng.choice('!XNFGYZOH')} ({self.formula(depth - 1, names)})"
        sign = rng.choice(("&", "|", "->", "U", "R", "S", "T"))
        return f"({self.formula(depth - 1, names)}) {sign} ({self.formula(depth - 1, names)})"

    # Traces -----------------------------------------------------------------------------------------

    def arguments(self) -> dict[str, Any]:
        rng = self.rng
        if self.seen and rng.random() < 0.6:
            made = json.loads(json.dumps(rng.choice(self.seen)))
            if rng.random() < 0.5:
                made = {key: self.beside(value) for key, value in made.items()}
        else:
            made = {}
            for key in rng.sample(("x", "x", "y", "l", "a1"), rng.randrange(3)):
                value = self.beside(rng.choice(self.values))
                made[key] = [{"id": value}, self.value(1)] if key == "l" and rng.random() < 0.7 else value
        return dict(made)

    def said_text(self) -> str | None:
        rng = self.rng
        if rng.random() < 0.2:
            return rng.choice((None, "2 + 2 = 5"))
        text = rng.choice(self.texts)
        return text if rng.random() < 0.5 else self.near(text)

    def trace(self, length: int) -> Trace:
        """A trace of random messages; identifiers are used again, results may belong to no call."""
        rng = self.rng
        messages = []
        for _ in range(length):
            way = rng.randrange(8)
            if way < 3:
                messages.append(Message(rng.choice(("user", "assistant", "system")), self.said_text()))
            elif way < 6:
                calls = tuple(
                    ToolCall(
                        rng.choice(self.names), self.arguments(), rng.choice((None, "1", "2")),
                        rng.choice(("assistant", "assistant", "assistant", "user", "developer")),
                    )
                    for _ in range(rng.choice((1, 1, 2)))
                )  # fmt: skip
                role = rng.choice(("assistant", "assistant", "user"))
                messages.append(Message(role, self.said_text(), calls))
            else:
                messages.append(
                    Message("tool", self.said_text(), (), rng.choice((None, "1", "2")),
                            rng.choice((None, *self.names[:3])), rng.choice((None, True, False)))
                )  # fmt: skip
        kinds = (None, "read", "write", "generic")
        tools = tuple(
            ToolSchema(name, rng.choice((None, SCHEMA)), "", rng.choice(kinds)) for name in set(self.names)
        )
        domain = rng.choice((None, "airline", "retail"))
        return Trace("t", tuple(messages), Source("drawn", "", "", ""), tools=tools, domain=domain)
