"""The keys that GROUP BY names: output positions, aliases, ROLLUP, CUBE and GROUPING SETS."""

from __future__ import annotations

import itertools

from sqlglot import exp

from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.scope import Scope, Source, fingerprint
from truespec.domains.sql.places import place_of
from truespec.verdict import ReasonCode, SpecificationError, Unsupported

Items = list[tuple[str, exp.Expr]]
"""The outputs of a SELECT: names, folded, and expressions."""
Keys = list[tuple[str, exp.Expr]]
"""Group keys: what tells them apart (`fingerprint`), and expressions."""
MAX_SETS = 32
"""More grouping sets are not read."""


def grouping_sets(
    reader: Reader,
    source: Source,
    parent: Scope | None,
    items: Items,
    group: exp.Group | None,
) -> list[Keys]:
    """The lists of keys to group by: one, unless ROLLUP, CUBE or GROUPING SETS ask for several."""
    if group is None:
        return [[]]
    for part in ("rollup", "cube", "grouping_sets", "totals", "all"):
        if group.args.get(part):
            raise Unsupported(f"sql: GROUP BY ... {part.upper()}", place_of(group))
    choices_: list[list[list[exp.Expr]]] = []
    for key in group.expressions:
        if not isinstance(key, exp.Rollup | exp.Cube | exp.GroupingSets):
            choices_.append([[key]])
            continue
        units = [_members(unit) for unit in key.expressions]
        if any(isinstance(u, exp.Rollup | exp.Cube | exp.GroupingSets) for unit in units for u in unit):
            raise Unsupported("sql: nested GROUPING SETS", place_of(key))
        match key:
            case exp.GroupingSets():
                choices_.append(units)
            case exp.Rollup():
                choices_.append([list(itertools.chain(*units[:n])) for n in range(len(units), -1, -1)])
            case _:
                picks = itertools.product([True, False], repeat=len(units))
                choices_.append([list(itertools.chain(*itertools.compress(units, pick))) for pick in picks])
    plain = all(len(choice) == 1 for choice in choices_)
    combinations = list(itertools.product(*choices_))
    if len(combinations) > MAX_SETS:
        raise Unsupported(f"sql: {len(combinations)} grouping sets", place_of(group))
    sets = [
        _group_keys(reader, source, parent, items, list(itertools.chain(*combination)))
        for combination in combinations
    ]
    if plain and not sets[0]:
        raise Unsupported("sql: GROUP BY constants only", place_of(group))
    return sets


def _group_keys(
    reader: Reader,
    source: Source,
    parent: Scope | None,
    items: Items,
    expressions: list[exp.Expr],
) -> Keys:
    blank = Scope(source.names, (), parent)
    keys: Keys = []
    for key in expressions:
        key = key.unnest() if isinstance(key, exp.Paren) else key
        if isinstance(key, exp.Literal) and not key.is_string:
            if not key.this.isdigit() or not 1 <= int(key.this) <= len(items):
                raise SpecificationError(ReasonCode.SCOPE, f"there is no output column {key.this}")
            key = items[int(key.this) - 1][1]
        elif _is_output(reader, key, items, blank):
            key = next(item for name, item in items if name == key.name.lower())
        elif isinstance(key, exp.Column) and not key.table and blank.find(key) is None:
            hits = [item for name, item in items if name == key.name.lower()]
            if hits:
                key = hits[0]
        elif (
            isinstance(key, exp.Column)
            and not key.table
            and not reader.dialect.group_name_of_both_read
            and any(
                n == key.name.lower() and fingerprint(i, blank) != fingerprint(key, blank) for n, i in items
            )
        ):
            raise Unsupported(f"sql: GROUP BY {key.name}, both a column and an output name", place_of(key))
        if isinstance(key, exp.Literal | exp.Null):
            continue
        print_ = fingerprint(key, blank)
        if print_ not in [known for known, _ in keys]:
            keys.append((print_, key))
    return keys


def _is_output(reader: Reader, key: exp.Expr, items: Items, scope: Scope) -> bool:
    """Whether an ambiguous name in GROUP BY is the one output of that name."""
    if not isinstance(key, exp.Column) or key.table or not reader.dialect.ambiguous_group_name_is_output:
        return False
    try:
        scope.find(key)
    except SpecificationError:
        return len([name for name, _ in items if name == key.name.lower()]) == 1
    return False


def _members(unit: exp.Expr) -> list[exp.Expr]:
    """The keys of one grouping set."""
    if isinstance(unit, exp.Tuple):
        return list(unit.expressions)
    return [unit.this] if isinstance(unit, exp.Paren) else [unit]
