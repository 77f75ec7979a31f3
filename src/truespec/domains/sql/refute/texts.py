"""Texts: parts, lengths, and what functions make of them."""

from __future__ import annotations

from typing import Any

import z3
from sqlglot import exp

from truespec.domains.sql.refute.dates import Dates
from truespec.domains.sql.refute.reading import Scope
from truespec.domains.sql.refute.symbolic import (
    Beyond,
    Value,
    as_number,
)


class Texts(Dates):
    """Reads functions of texts, and of dates as texts."""

    def _text(self, node: Any, scope: Scope) -> Value:
        value = self.value(node, scope)
        if value.kind == "number" and value.value.is_int():
            return Value(value.null, z3.IntToStr(value.value), "text")
        if value.kind != "text":
            raise Beyond
        return value

    def _length(self, node: Any, scope: Scope) -> Value:
        value = self._text(node.this, scope)
        return Value(value.null, z3.Length(value.value), "number")

    def _substring(self, node: Any, scope: Scope) -> Value:
        start = node.args.get("start")
        length = node.args.get("length")
        return self._cut(node.this, start, length, scope)

    def _left(self, node: Any, scope: Scope) -> Value:
        return self._cut(node.this, exp.Literal.number(1), node.expression, scope)

    def _cut(self, node: Any, start: Any, length: Any, scope: Scope) -> Value:
        whole = self.value(node, scope)
        if whole.kind in ("date", "moment"):
            form = {"4": "%Y", "7": "%Y-%m", "10": "%Y-%m-%d"}.get(str(length.name) if length else "")
            if form is None or str(start.name) != "1":
                raise Beyond
            return self._as_written(whole, form)
        text = self._text(node, scope)
        first = as_number(self.value(start, scope))
        size = as_number(self.value(length, scope)).value if length is not None else z3.Length(text.value)
        null = z3.Or(text.null, first.null)
        return Value(null, z3.SubString(text.value, first.value - 1, size), "text")

    def _right(self, node: Any, scope: Scope) -> Value:
        text, size = self._text(node.this, scope), as_number(self.value(node.expression, scope))
        from_ = z3.If(z3.Length(text.value) > size.value, z3.Length(text.value) - size.value, z3.IntVal(0))
        return Value(z3.Or(text.null, size.null), z3.SubString(text.value, from_, size.value), "text")

    def _concat(self, node: Any, scope: Scope) -> Value:
        parts = [self._text(part, scope) for part in node.expressions]
        null = z3.Or(*(part.null for part in parts))
        value = z3.Concat(*(part.value for part in parts)) if len(parts) > 1 else parts[0].value
        return Value(null, value, "text")

    def _dpipe(self, node: Any, scope: Scope) -> Value:
        one, other = self._text(node.this, scope), self._text(node.expression, scope)
        return Value(z3.Or(one.null, other.null), z3.Concat(one.value, other.value), "text")

    def _replace(self, node: Any, scope: Scope) -> Value:
        text, old = self._text(node.this, scope), self._text(node.expression, scope)
        new = node.args.get("replacement")
        value = self._text(new, scope).value if new is not None else z3.StringVal("")
        # Every occurrence goes: up to three are followed.
        found = text.value
        for _ in range(3):
            found = z3.Replace(found, old.value, value)
        self.facts.append(
            z3.Or(text.null, z3.Not(z3.Contains(found, old.value)), z3.Contains(value, old.value))
        )
        return Value(text.null, found, "text")

    def _strposition(self, node: Any, scope: Scope) -> Value:
        text, part = self._text(node.this, scope), self._text(node.args["substr"], scope)
        null = z3.Or(text.null, part.null)
        return Value(null, z3.IndexOf(text.value, part.value, z3.IntVal(0)) + 1, "number")

    def _startswith(self, node: Any, scope: Scope) -> Value:
        text, part = self._text(node.this, scope), self._text(node.expression, scope)
        null = z3.Or(text.null, part.null)
        return self._atom(Value(null, z3.PrefixOf(part.value, text.value), "truth"))

    def _reverse(self, node: Any, scope: Scope) -> Value:
        text = self._text(node.this, scope)
        turned = z3.String(f"reversed {next(self.fresh)}")
        size = z3.Length(text.value)
        self.facts += [z3.Length(turned) == size, z3.Or(text.null, size <= 8)]
        for place in range(8):
            at = z3.SubString(turned, size - 1 - place, 1) == z3.SubString(text.value, place, 1)
            self.facts.append(z3.Or(text.null, size <= place, at))
        return Value(text.null, turned, "text")
