"""Plausible rewrites of a query. Each may keep the meaning, or miss it by a NULL, a duplicate or a bound."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, TypeAlias

import sqlglot
from sqlglot import exp

Node: TypeAlias = Any
"""A node of a tree of sqlglot, whose types differ from release to release."""
Rewrite: TypeAlias = "Callable[[Any, Random], Node | None]"
"""From one node of a tree to its replacement; None where it does not apply."""

FLIPPED: dict[type[Any], type[Any]] = {
    exp.GT: exp.LT,
    exp.GTE: exp.LTE,
    exp.LT: exp.GT,
    exp.LTE: exp.GTE,
    exp.EQ: exp.EQ,
    exp.NEQ: exp.NEQ,
}
NEGATED: dict[type[Any], type[Any]] = {
    exp.GT: exp.LTE,
    exp.GTE: exp.LT,
    exp.LT: exp.GTE,
    exp.LTE: exp.GT,
    exp.EQ: exp.NEQ,
    exp.NEQ: exp.EQ,
}
NEAR: dict[type[Any], type[Any]] = {exp.GT: exp.GTE, exp.GTE: exp.GT, exp.LT: exp.LTE, exp.LTE: exp.LT}


def _text(template: str, **parts: Node) -> Node:
    """A tree from a text whose names in capitals stand for parts."""
    tree = sqlglot.parse_one(f"SELECT {template}").expressions[0]
    for column in list(tree.find_all(exp.Column)):
        if column.name in parts:
            column.replace(exp.paren(parts[column.name].copy()))
    return tree if not (isinstance(tree, exp.Column) and tree.name in parts) else parts[tree.name].copy()


def _start(select: Node) -> Node:
    """The FROM clause."""
    return select.args.get("from_") or select.args.get("from")


def flip(node: Node, _: Random) -> Node | None:
    """a < b as b > a."""
    return FLIPPED[type(node)](this=node.expression.copy(), expression=node.this.copy())


def negate(node: Node, _: Random) -> Node | None:
    """a < b as NOT a >= b."""
    return exp.not_(exp.paren(NEGATED[type(node)](this=node.this.copy(), expression=node.expression.copy())))


def near(node: Node, _: Random) -> Node | None:
    """a < b as a <= b."""
    return (
        NEAR[type(node)](this=node.this.copy(), expression=node.expression.copy())
        if type(node) in NEAR
        else None
    )


def shift(node: Node, _: Random) -> Node | None:
    """a > 1 as a >= 2, right for integers alone."""
    value = node.expression
    if type(node) not in (exp.GT, exp.LTE) or not (isinstance(value, exp.Literal) and not value.is_string):
        return None
    kind = exp.GTE if isinstance(node, exp.GT) else exp.LT
    return kind(this=node.this.copy(), expression=exp.Literal.number(int(value.this) + 1))


def as_case(node: Node, _: Random) -> Node | None:
    """p as CASE WHEN p THEN 1 ELSE 0 END = 1."""
    return _text("CASE WHEN P THEN 1 ELSE 0 END = 1", P=node)


def not_case(node: Node, _: Random) -> Node | None:
    """p as CASE WHEN NOT p THEN 0 ELSE 1 END = 1, wrong for NULL."""
    return _text("CASE WHEN NOT P THEN 0 ELSE 1 END = 1", P=node)


def known(node: Node, _: Random) -> Node | None:
    """a = b as a = b AND a IS NOT NULL."""
    return exp.paren(_text("P AND A IS NOT NULL", P=node, A=node.this))


def or_null(node: Node, _: Random) -> Node | None:
    """a = b as a = b OR a IS NULL."""
    return exp.paren(_text("P OR A IS NULL", P=node, A=node.this))


def in_to_or(node: exp.In, _: Random) -> Node | None:
    """a IN (x, y) as equations."""
    if not node.expressions:
        return None
    return exp.paren(exp.or_(*[exp.EQ(this=node.this.copy(), expression=e.copy()) for e in node.expressions]))


def in_duplicate(node: exp.In, _: Random) -> Node | None:
    """a IN (x, y) as a IN (y, x, y)."""
    if not node.expressions:
        return None
    found = node.copy()
    found.set("expressions", [*reversed(found.expressions), found.expressions[0].copy()])
    return found


def between(node: exp.Between, _: Random) -> Node | None:
    """a BETWEEN x AND y as two bounds."""
    return exp.paren(_text("A >= X AND A <= Y", A=node.this, X=node.args["low"], Y=node.args["high"]))


def between_open(node: exp.Between, _: Random) -> Node | None:
    """The upper bound left out."""
    return exp.paren(_text("A >= X AND A < Y", A=node.this, X=node.args["low"], Y=node.args["high"]))


def null_to_self(node: exp.Is, _: Random) -> Node | None:
    """a IS NULL as NOT (a = a)."""
    return _text("NOT A = A", A=node.this) if isinstance(node.expression, exp.Null) else None


def null_to_coalesce(node: exp.Is, _: Random) -> Node | None:
    """a IS NULL as COALESCE(a, 0) = 0."""
    return _text("COALESCE(A, 0) = 0", A=node.this) if isinstance(node.expression, exp.Null) else None


def swap(node: Node, _: Random) -> Node | None:
    """The two sides swapped."""
    return type(node)(this=node.expression.copy(), expression=node.this.copy())


def connector(node: Node, _: Random) -> Node | None:
    """By De Morgan."""
    other = exp.Or if isinstance(node, exp.And) else exp.And
    sides = [exp.paren(exp.not_(exp.paren(side.copy()))) for side in (node.this, node.expression)]
    return exp.not_(exp.paren(other(this=sides[0], expression=sides[1])))


def drop_side(node: Node, random: Random) -> Node | None:
    """One of two conditions left out."""
    return random.choice((node.this, node.expression)).copy()


def count_form(node: exp.Count, random: Random) -> Node | None:
    """Another way to count."""
    what = node.this
    if isinstance(what, exp.Star):
        return sqlglot.parse_one(random.choice(("COUNT(1)", "SUM(1)", "COALESCE(SUM(1), 0)", "COUNT(2)")))
    if isinstance(what, exp.Distinct):
        return exp.Count(this=what.expressions[0].copy()) if what.expressions else None
    return random.choice(
        (
            exp.Count(this=exp.Star()),
            exp.Count(this=exp.Distinct(expressions=[what.copy()])),
            _text("SUM(CASE WHEN A IS NULL THEN 0 ELSE 1 END)", A=what),
            _text("COUNT(CASE WHEN A IS NOT NULL THEN 1 END)", A=what),
        )
    )


def sum_form(node: exp.Sum, random: Random) -> Node | None:
    """Another way to add."""
    what = node.this
    if isinstance(what, exp.Case) and len(what.args["ifs"]) == 1:
        condition = what.args["ifs"][0].this
        return random.choice(
            (
                _text("COUNT(CASE WHEN P THEN 1 END)", P=condition),
                _text("COALESCE(SUM(CASE WHEN P THEN 1 END), 0)", P=condition),
            )
        )
    return random.choice(
        (
            _text("SUM(COALESCE(A, 0))", A=what),
            _text("SUM(A + 0)", A=what),
            _text("COALESCE(SUM(A), 0)", A=what),
            _text("AVG(A) * COUNT(A)", A=what),
        )
    )


def extreme_form(node: Node, random: Random) -> Node | None:
    """MIN as MAX, or over distinct values."""
    other = exp.Max if isinstance(node, exp.Min) else exp.Min
    return random.choice(
        (
            type(node)(this=exp.Distinct(expressions=[node.this.copy()])),
            other(this=node.this.copy()),
            _text("-M", M=other(this=exp.Neg(this=exp.paren(node.this.copy())))),
        )
    )


def average(node: exp.Avg, random: Random) -> Node | None:
    """AVG by sum and count."""
    return _text(
        random.choice(("SUM(A) / COUNT(A)", "SUM(A) * 1.0 / COUNT(A)", "SUM(A) / COUNT(*)")), A=node.this
    )


def coalesce_form(node: exp.Coalesce, _: Random) -> Node | None:
    """COALESCE by CASE."""
    return (
        _text("CASE WHEN A IS NULL THEN B ELSE A END", A=node.this, B=node.expressions[0])
        if len(node.expressions) == 1
        else None
    )


def neutral(node: exp.Column, random: Random) -> Node | None:
    """A column with something that does nothing, for some types and values."""
    return _text(
        random.choice(
            (
                "COALESCE(A, A)",
                "CASE WHEN A IS NULL THEN NULL ELSE A END",
                "NULLIF(A, NULL)",
                "A + 0",
                "CASE WHEN A = A THEN A END",
            )
        ),
        A=node,
    )


def upper(node: exp.Column, random: Random) -> Node | None:
    """A column in upper or lower case, or trimmed."""
    return _text(random.choice(("UPPER(A)", "LOWER(A)", "TRIM(A)")), A=node)


def like_form(node: exp.Like, random: Random) -> Node | None:
    """LIKE by equality or IS NOT NULL."""
    return _text(
        random.choice(("A = B", "A IS NOT NULL", "A LIKE B AND A <> ''")), A=node.this, B=node.expression
    )


def distinct(node: exp.Select, _: Random) -> Node | None:
    """DISTINCT put in or left out."""
    found = node.copy()
    found.set("distinct", None if node.args.get("distinct") else exp.Distinct())
    return found


def distinct_to_group(node: exp.Select, _: Random) -> Node | None:
    """DISTINCT as GROUP BY."""
    if (
        not node.args.get("distinct")
        or node.args.get("group")
        or any(e.find(exp.AggFunc) for e in node.expressions)
    ):
        return None
    found = node.copy()
    found.set("distinct", None)
    found.set("group", exp.Group(expressions=[e.unalias().copy() for e in node.expressions]))
    return found


def having_true(node: exp.Select, random: Random) -> Node | None:
    """HAVING COUNT(*) > 0, which a query without keys does not always meet."""
    if node.args.get("having") or not (
        node.args.get("group") or any(e.find(exp.AggFunc) for e in node.expressions)
    ):
        return None
    return node.copy().having(random.choice(("COUNT(*) > 0", "COUNT(*) >= 1", "MAX(1) = 1")))


def where_to_having(node: exp.Select, _: Random) -> Node | None:
    """A condition on the groups instead of the rows, where it speaks of keys."""
    group, where = node.args.get("group"), node.args.get("where")
    if not group or not where or node.args.get("having"):
        return None
    keys = {e.sql() for e in group.expressions}
    if any(column.sql() not in keys for column in where.this.find_all(exp.Column)):
        return None
    found = node.copy()
    found.set("where", None)
    return found.having(where.this.copy())


def more_keys(node: exp.Select, random: Random) -> Node | None:
    """A further key, perhaps one that the others determine."""
    group = node.args.get("group")
    columns = [c for c in node.find_all(exp.Column) if c.parent_select is node]
    if not group or not columns:
        return None
    found = node.copy()
    found.args["group"].append("expressions", random.choice(columns).copy())
    return found


def join_kind(node: exp.Join, random: Random) -> Node | None:
    """INNER as LEFT and the other way round."""
    if not node.args.get("on"):
        return None
    found = node.copy()
    found.set("side", None if node.side else "LEFT")
    found.set("kind", None)
    return found


def on_to_where(node: exp.Select, random: Random) -> Node | None:
    """The last join's condition in the WHERE clause."""
    joins = node.args.get("joins") or []
    if not joins or not joins[-1].args.get("on"):
        return None
    found = node.copy()
    last = found.args["joins"][-1]
    condition = last.args["on"]
    keep = bool(last.side) and random.random() < 0.5
    if keep and isinstance(condition, exp.And):
        last.set("on", condition.this.copy())
        return found.where(condition.expression.copy())
    last.set("on", exp.true() if last.side else None)
    if not last.side:
        last.set("kind", "CROSS")
    return found.where(condition.copy())


def swap_join(node: exp.Select, _: Random) -> Node | None:
    """Two sources of an inner join swapped."""
    joins = node.args.get("joins") or []
    start = _start(node)
    if len(joins) != 1 or start is None or (joins[0].side and joins[0].side != "LEFT"):
        return None
    found = node.copy()
    start = _start(found)
    join = found.args["joins"][0]
    one, other = start.this.copy(), join.this.copy()
    start.set("this", other)
    join.set("this", one)
    if join.side:
        join.set("side", "RIGHT")
    return found


def wrapped(node: exp.Select, random: Random) -> Node | None:
    """The query as a derived table or a WITH."""
    if node.parent is not None or node.args.get("order"):
        return None
    names = [f"w{i}" for i in range(len(node.expressions))]
    inner = node.copy()
    inner.set(
        "expressions",
        [exp.alias_(e.unalias().copy(), n) for e, n in zip(inner.expressions, names, strict=True)],
    )
    shown = [f"z.{n}" for n in names]
    if random.random() < 0.5:
        return exp.select(*shown).from_(inner.subquery("z"))
    return exp.select(*shown).from_("z").with_("z", as_=inner)


def in_to_exists(node: exp.In, _: Random) -> Node | None:
    """a IN (SELECT b ...) as EXISTS, and NOT IN as NOT EXISTS."""
    query = node.args.get("query")
    inner = query.this if isinstance(query, exp.Subquery) else query
    if not isinstance(inner, exp.Select) or inner.args.get("group"):
        return None
    found = inner.copy().where(
        exp.EQ(this=inner.expressions[0].unalias().copy(), expression=node.this.copy())
    )
    found.set("expressions", [exp.Literal.number(1)])
    return exp.Exists(this=found)


def in_to_count(node: exp.In, random: Random) -> Node | None:
    """a IN (SELECT b ...) by counting."""
    found = in_to_exists(node, random)
    if found is None:
        return None
    counted = found.this.copy()
    counted.set("expressions", [exp.Count(this=exp.Star())])
    return exp.GT(this=exp.Subquery(this=counted), expression=exp.Literal.number(0))


def in_to_join(node: exp.Select, _: Random) -> Node | None:
    """The first IN (SELECT ...) of the WHERE clause as a join."""
    where = node.args.get("where")
    conditions = (
        list(where.this.flatten())
        if where and isinstance(where.this, exp.And)
        else [where.this]
        if where
        else []
    )
    for position, condition in enumerate(conditions):
        query = condition.args.get("query") if isinstance(condition, exp.In) else None
        inner = query.this if isinstance(query, exp.Subquery) else query
        if not isinstance(inner, exp.Select) or inner.args.get("group") or inner.args.get("joins"):
            continue
        start = _start(inner)
        on = exp.EQ(this=condition.this.copy(), expression=inner.expressions[0].unalias().copy())
        found = node.copy()
        found.set("where", None)
        rest = [c.copy() for i, c in enumerate(conditions) if i != position]
        rest += [inner.args["where"].this.copy()] if inner.args.get("where") else []
        found = found.join(start.this.copy(), on=on)
        return found.where(*rest) if rest else found
    return None


def not_exists_to_left(node: exp.Select, _: Random) -> Node | None:
    """A NOT EXISTS of the WHERE clause as LEFT JOIN ... IS NULL."""
    where = node.args.get("where")
    if not where or not isinstance(where.this, exp.Not) or not isinstance(where.this.this, exp.Exists):
        return None
    inner = where.this.this.this
    start = _start(inner)
    if not isinstance(start.this, exp.Table) or not inner.args.get("where"):
        return None
    found = node.copy()
    found.set("where", None)
    found = found.join(start.this.copy(), on=inner.args["where"].this.copy(), join_type="LEFT")
    return found.where(exp.column("id", table=start.this.alias_or_name).is_(exp.null()))


def set_form(node: Node, _: Random) -> Node | None:
    """UNION as UNION ALL and the other way round; EXCEPT and INTERSECT swapped."""
    found = node.copy()
    if isinstance(node, exp.Union):
        found.set("distinct", not node.args.get("distinct"))
        return found
    return swap_sides(node, _)


def swap_sides(node: Node, _: Random) -> Node | None:
    """The sides of a set operation swapped."""
    found = node.copy()
    left, right = found.this.copy(), found.expression.copy()
    found.set("this", right)
    found.set("expression", left)
    return found


def or_to_union(node: exp.Select, random: Random) -> Node | None:
    """WHERE p OR q as a union."""
    where = node.args.get("where")
    inner = where.this.unnest() if where else None
    if (
        not isinstance(inner, exp.Or)
        or node.parent is not None
        or node.args.get("group")
        or node.args.get("order")
    ):
        return None
    sides = []
    for side in (inner.this, inner.expression):
        found = node.copy()
        found.set("where", None)
        sides.append(found.where(side.copy()))
    return exp.union(*sides, distinct=random.random() < 0.5)


def order_way(node: exp.Ordered, _: Random) -> Node | None:
    """Another direction."""
    found = node.copy()
    found.set("desc", not node.args.get("desc"))
    return found


def arithmetic(node: Node, _: Random) -> Node | None:
    """Operands swapped, where one may."""
    return type(node)(this=exp.paren(node.expression.copy()), expression=exp.paren(node.this.copy()))


COMPARISONS = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.EQ, exp.NEQ)
REWRITES: tuple[tuple[tuple[type[Any], ...], Rewrite], ...] = (
    *((COMPARISONS, rewrite) for rewrite in (flip, negate, near, shift, as_case, not_case, known, or_null)),
    *(((exp.In,), rewrite) for rewrite in (in_to_or, in_duplicate, in_to_exists, in_to_exists, in_to_count)),
    *(((exp.Between,), rewrite) for rewrite in (between, between_open)),
    *(((exp.Is,), rewrite) for rewrite in (null_to_self, null_to_coalesce, as_case)),
    *(((exp.And, exp.Or), rewrite) for rewrite in (swap, connector, drop_side)),
    ((exp.Count,), count_form),
    ((exp.Sum,), sum_form),
    ((exp.Min, exp.Max), extreme_form),
    ((exp.Avg,), average),
    ((exp.Coalesce,), coalesce_form),
    ((exp.Column,), neutral),
    ((exp.Column,), upper),
    ((exp.Like,), like_form),
    *(((exp.Select,), rewrite) for rewrite in (distinct, distinct_to_group, distinct_to_group, having_true)),
    *(
        ((exp.Select,), rewrite)
        for rewrite in (where_to_having, more_keys, on_to_where, swap_join, wrapped, wrapped)
    ),
    *(((exp.Select,), rewrite) for rewrite in (in_to_join, not_exists_to_left, or_to_union)),
    ((exp.Join,), join_kind),
    ((exp.Union, exp.Except, exp.Intersect), set_form),
    ((exp.Union, exp.Except, exp.Intersect), swap_sides),
    ((exp.Ordered,), order_way),
    ((exp.Add, exp.Mul, exp.Sub), arithmetic),
)
"""The nodes that each rewrite takes."""


def rewritten(text: str, dialect: str, random: Random, most: int = 2) -> tuple[str, list[str]]:
    """The text after up to `most` random rewrites, and their names."""
    tree: Node = sqlglot.parse_one(text, read=dialect)
    names = []
    for _ in range(random.randint(1, most)):
        for _try in range(12):
            kinds, rewrite = random.choice(REWRITES)
            nodes = [node for node in tree.walk() if isinstance(node, kinds)]
            if not nodes:
                continue
            node = random.choice(nodes)
            made = rewrite(node, random)
            if made is None:
                continue
            if node is tree:
                tree = made
            else:
                node.replace(exp.paren(made) if isinstance(made, exp.Binary) else made)
            names.append(rewrite.__name__)
            break
    return tree.sql(dialect=dialect), names
