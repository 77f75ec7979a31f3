"""Prove two queries equal: the entry to the prover."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import z3
from sqlglot import exp

from truespec.domains.sql.compile.check_constraints import read_check
from truespec.domains.sql.compile.compiler import Compiler
from truespec.domains.sql.compile.ranked_order import by_keys, sort_by_same_outputs
from truespec.domains.sql.compile.scope import Denotation
from truespec.domains.sql.dialects.dialect import Dialect
from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.ir.bags import Bag, Term, conjuncts, renamed
from truespec.domains.sql.ir.comparisons import null_safe_equal
from truespec.domains.sql.ir.effort import BRIEF, Pause
from truespec.domains.sql.ir.existence import condition
from truespec.domains.sql.ir.keys import equalities
from truespec.domains.sql.ir.kinds import BOOL, INT, NUMBERS
from truespec.domains.sql.ir.logic import Expr, Formula, conj, ite, neg
from truespec.domains.sql.ir.parts import View
from truespec.domains.sql.ir.symbols import constants, is_false, is_ite, is_true
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.places import OfSide
from truespec.domains.sql.prove.kept_orders import sorts_what_it_reads
from truespec.domains.sql.prove.prover import Prover
from truespec.domains.sql.prove.readings import READINGS, Reading
from truespec.domains.sql.prove.written_keys import in_numbers
from truespec.domains.sql.rules import rebased_series
from truespec.domains.sql.schema import Schema
from truespec.solvers.limit import Limit
from truespec.verdict import JSON, Nondeterministic, OutOfTime, SpecificationError, Undecided, Unsupported

PLACED = (exp.FirstValue, exp.LastValue, exp.NthValue)
"""Functions that take the value of the row at a place of the window."""
NEIGHBOURS = (exp.Lag, exp.Lead)
"""Functions that take the value of the row at a distance."""


Pair = tuple[World, tuple[exp.Expr, exp.Expr], str, Mapping[str, View] | None]
"""A world, the oracle and the candidate, in which order results are compared, and what stands for parts."""


@dataclass(frozen=True, slots=True)
class ProofTrace:
    """A proof that was found."""

    steps: tuple[str, ...]
    """The rules of the last comparison, in order."""
    obligations: tuple[str, ...]
    """Every statement that was proved, as SMT-LIB texts that are unsatisfiable."""
    trail: str
    """Which statements were proved (1), denied by a model (x) or left open (0), in the order in which they
    were asked; which conditions plainly exclude one another."""
    ordered: bool
    """Whether results were compared as lists."""
    parts: tuple[dict[str, JSON], ...] = ()
    """The parts that were proved equal first, in order, for `prove/parts.py` to follow."""


def prove(
    oracle: exp.Expr,
    candidate: exp.Expr,
    schema: Schema,
    order: str,
    settings: Settings,
    limit: Limit,
) -> ProofTrace | None:
    """A proof that both queries give the same result on every database, or None; raises `Undecided`."""
    return prove_in(World(schema, settings, limit), oracle, candidate, order)


def prove_briefly(
    oracle: exp.Expr,
    candidate: exp.Expr,
    schema: Schema,
    order: str,
    settings: Settings,
    limit: Limit,
    pause: Pause | None = None,
) -> tuple[ProofTrace | None, bool]:
    """A proof with little effort, or None; and whether more effort might tell more.

    Where that effort is spent and no statement was left open, a proof from the beginning would ask the same
    again: it goes on after the pause, with full effort, and raises `Undecided` as `prove` does.
    """
    world = World(schema, settings, limit, BRIEF)
    world.pause = pause
    try:
        trace = prove_in(world, oracle, candidate, order)
    except (Undecided, SpecificationError, RecursionError):
        if world.effort is not BRIEF:
            raise
        return None, True
    return trace, world.shortened and world.effort is BRIEF


def readers_in(world: World, oracle: exp.Expr, candidate: exp.Expr) -> tuple[Prover, Compiler]:
    """What reads both queries in a world, and what compares them; raises where no proof may be made."""
    if world.schema.unclear:
        raise Unsupported(f"sql: no proof is made under {'; '.join(world.schema.unclear)}, which is not read")
    world.read_check = read_check
    prover = Prover(world)
    compiler = Compiler(world, prover.aggregates)
    compiler.compares_values = any(query.find(*PLACED) is not None for query in (oracle, candidate))
    compiler.counts_runs = any(map(_counts_runs, (oracle, candidate)))
    prover.aggregates.reads_neighbours = _reads_neighbours((oracle, candidate))
    return prover, compiler


def prove_in(
    world: World,
    oracle: exp.Expr,
    candidate: exp.Expr,
    order: str,
    parts: Mapping[str, View] | None = None,
) -> ProofTrace | None:
    """The proof in a given world, whose `decided` says which statements hold.

    `parts` are the parts that stand for any table, by what they are called (`prove/parts.py`).
    """
    if order != "bag" and all(query.args.get("order") is not None for query in (oracle, candidate)):
        ranked = [by_keys(query, world.schema.tables) for query in (oracle, candidate)]
        if (ranked[0] is None) != (ranked[1] is None) and not sort_by_same_outputs(oracle, candidate):
            oracle, candidate = ranked[0] or oracle, ranked[1] or candidate
    recursive = [_recursive_columns(query) > 0 for query in (oracle, candidate)]
    pair = world, (oracle, candidate), order, parts
    plain = Reading(writes_out=recursive[0] != recursive[1])
    trace = _as_recursive(pair) if all(recursive) else _compared(pair, plain)[0]
    if trace is None and world.months_met:
        world.read_anew()
        trace = _compared_anew(pair, replace(plain, by_months=True))
    return trace


def _as_recursive(pair: Pair) -> ProofTrace | None:
    """The proof of two queries with recursions, in one of several readings."""
    world = pair[0]
    # Recursions that are seen to be one first, those that are not last: it takes long, and proves little.
    trace, compiler = _compared(pair, Reading(apart=False))
    ways = [Reading(writes_out=True)] * compiler.ends + list(READINGS) + [Reading()] * compiler.apart
    for reading in ways:
        if trace is None:
            world.read_anew()
            trace = _compared_anew(pair, reading)
    return trace


def _compared_anew(pair: Pair, reading: Reading) -> ProofTrace | None:
    """The proof in another reading; one that is tried besides tells nothing where it ends undecided."""
    try:
        return _compared(pair, reading)[0]
    except OutOfTime:
        raise
    except Undecided:
        if not (reading.follows_walks or reading.by_months):
            raise
        return None


def _compared(pair: Pair, reading: Reading) -> tuple[ProofTrace | None, Compiler]:
    """The proof in one reading, and what has read the queries."""
    world, queries, order, parts = pair
    oracle, candidate = queries
    prover, compiler = readers_in(world, oracle, candidate)
    compiler.parts = {} if parts is None else parts
    compiler.writes_out, compiler.starts_later = reading.writes_out, reading.starts_later
    compiler.follows_walks, world.by_months = reading.follows_walks, reading.by_months
    left, right = _read(compiler, oracle, candidate)
    if len(left.names) != len(right.names) or _differ_in_type(left, right, world.dialect):
        return None, compiler
    if compiler.apart and not reading.apart:
        return None, compiler
    listed = order != "bag" and bool(left.sorts) and bool(right.sorts)
    alone = any(map(sorts_what_it_reads, queries))  # then no choice of one side is that of the other
    alike = left.limit == right.limit and not (alone and left.limit)
    equal = alike and _same(left, right, listed, prover)
    if not equal and (left.limit or right.limit):
        with OfSide(0):
            left = compiler.limited(left)
        with OfSide(1):
            right = compiler.limited(right)
        equal = _same(left, right, listed, prover)
    equal = equal and compiler.unending[0] == compiler.unending[1] and compiler.cut[0] == compiler.cut[1]
    if equal and alone and _chooses_alike(compiler, prover):
        raise Nondeterministic(
            "sql: a choice among rows that ORDER BY has sorted, which the engine may keep so"
        )
    if not equal and not (compiler.ends and not reading.writes_out):
        _refuse_choices(world, prover, queries)
    if not equal:
        return None, compiler
    return ProofTrace(tuple(prover.steps), tuple(world.obligations), "".join(world.trail), listed), compiler


def _chooses_alike(compiler: Compiler, prover: Prover) -> bool:
    """Whether the proof takes a choice of the engine in one query for one in the other."""
    paired = any(operator.partner is not None for operator in prover.aggregates.operators)
    return paired or bool(compiler.sides_in_some_order)


def _refuse_choices(world: World, prover: Prover, queries: tuple[exp.Expr, exp.Expr]) -> None:
    """Raise `Nondeterministic` where the engine has a choice: it tells more than that no proof is found."""
    if prover.aggregates.ties:
        strict = Compiler(world, prover.aggregates)
        strict.numbers_ties = False
        _read(strict, *queries)  # raises where rows may tie
    if any(operator.chosen for operator in prover.aggregates.operators):
        raise Nondeterministic(
            "sql: GROUP BY or DISTINCT leaves a choice to the engine: a column that the group does not "
            "determine, or texts that the collation calls equal"
        )


def _read(compiler: Compiler, oracle: exp.Expr, candidate: exp.Expr) -> tuple[Denotation, Denotation]:
    """What both denote; a recursion of more columns is read first, since one of fewer may be its image."""
    if _recursive_columns(candidate) > _recursive_columns(oracle):
        right = compiler.read(candidate, 1)
        return compiler.read(oracle, 0), right
    left = compiler.read(oracle, 0)
    return left, compiler.read(candidate, 1)


def _recursive_columns(query: exp.Expr) -> int:
    """How many columns the recursions of a query have."""
    clauses = [clause for clause in query.find_all(exp.With) if clause.args.get("recursive")]
    bodies = [cte.this for clause in clauses for cte in clause.expressions]
    return sum(len(body.selects) for body in bodies if isinstance(body, exp.SetOperation))


def _reads_neighbours(queries: tuple[exp.Expr, ...]) -> bool:
    """Whether rows are read by their distance, and in a frame that ends so many rows away."""
    frames = [spec for query in queries for spec in query.find_all(exp.WindowSpec)]
    return any(query.find(*NEIGHBOURS) for query in queries) and any(
        isinstance(spec.args.get(end), exp.Literal) for spec in frames for end in ("start", "end")
    )


def _counts_runs(query: exp.Expr) -> bool:
    """Whether a query reads the row before, and adds numbers up from row to row."""
    running = (
        window.args.get("order") is not None and isinstance(window.this, exp.Sum | exp.Count)
        for window in query.find_all(exp.Window)
    )
    return query.find(exp.Lag) is not None and any(running)


def is_determined(query: exp.Expr, schema: Schema, settings: Settings, limit: Limit) -> bool:
    """Whether a query is proved to have one result, as a bag, on every database that the schema allows.

    The reading refuses what leaves a choice to the engine: LIMIT where the order may leave ties, windows and
    subqueries whose row is not determined. A group's value that is not the same in all its rows is a choice
    too. What cannot be read counts as not determined. Raises `OutOfTime`.
    """
    if schema.unclear:
        return False
    world = World(schema, settings, limit, BRIEF)
    world.read_check = read_check
    prover = Prover(world)
    compiler = Compiler(world, prover.aggregates)
    try:
        read = compiler.read(query, 0)
        if read.limit:
            with OfSide(0):
                compiler.limited(read)
    except OutOfTime:
        raise
    except (Undecided, SpecificationError, RecursionError):
        return False
    return not prover.aggregates.ties and not any(o.chosen for o in prover.aggregates.operators)


def _differ_in_type(left: Denotation, right: Denotation, dialect: Dialect) -> bool:
    """Whether one has Booleans where the other has values of another type, in a dialect that shows which."""
    if not dialect.has_boolean_type:
        return False
    for position in range(len(left.names)):
        kinds = {
            term.outs[position].kind == BOOL
            for term in (*left.bag.terms, *right.bag.terms)
            if not is_true(term.outs[position].null)
        }
        if len(kinds) > 1:
            return True
    return False


def _same(left: Denotation, right: Denotation, listed: bool, prover: Prover) -> bool:
    """Whether two querys of one LIMIT are equal: as lists, or as bags."""
    if prover.world.by_months:  # keys that are groups show what they are written for
        tidied = [Bag(tuple(prover.tidy(query.bag))) for query in (left, right)]
        left, right = replace(left, bag=tidied[0]), replace(right, bag=tidied[1])
    left, right = (_without_redundant_keys(in_numbers(query), prover) for query in (left, right))
    if listed or left.limit is not None:
        if left.sorts != right.sorts:
            left, right = _with_plain_keys(left, prover), _with_plain_keys(right, prover)
        if len(left.sorts) != len(right.sorts):
            left, right = _without_settled_keys(left, prover), _without_settled_keys(right, prover)
        if left.sorts != right.sorts:
            left, right = _with_nulls_placed(left, prover), _with_nulls_placed(right, prover)
        if left.sorts != right.sorts:
            return False
    else:
        left, right = _unsorted(left), _unsorted(right)
    if rebased_series.begins(left.bag) or rebased_series.begins(right.bag):
        tidied = [Bag(tuple(prover.tidy(query.bag))) for query in (left, right)]
        counted = rebased_series.both(prover.world, tidied[0], tidied[1])
        if counted is not None and prover.same(*counted):
            return True
    return prover.same(left.bag, right.bag)


def _without_redundant_keys(query: Denotation, prover: Prover) -> Denotation:
    """The query without sort keys that are one constant, or that repeat an earlier key."""
    width = len(query.names)
    if not query.sorts:
        return query
    terms = prover.tidy(query.bag)
    keep: list[int] = []
    for i in range(len(query.sorts)):
        keys: list[Any] = [_constant_key(prover.world, term, term.outs[width + i]) for term in terms]
        constant = all(key is not None and key.eq(keys[0]) for key in keys)
        repeated = any(
            all(_same_expressions(t.outs[width + j], t.outs[width + i]) for t in terms) for j in keep
        )
        if not constant and not repeated:
            keep.append(i)
    cut = tuple(replace(t, outs=(*t.outs[:width], *(t.outs[width + i] for i in keep))) for t in terms)
    return replace(query, bag=Bag(cut), sorts=tuple(query.sorts[i] for i in keep))


def _without_settled_keys(query: Denotation, prover: Prover) -> Denotation:
    """The query without sort keys in which rows agree that agree in all keys before."""
    width = len(query.names)
    terms = prover.tidy(query.bag)
    keep: list[int] = []
    for i in range(len(query.sorts)):
        if not keep or not _settled(prover.world, terms, [width + j for j in keep], width + i):
            keep.append(i)
    cut = tuple(replace(t, outs=(*t.outs[:width], *(t.outs[width + i] for i in keep))) for t in terms)
    return replace(query, bag=Bag(cut), sorts=tuple(query.sorts[i] for i in keep))


def _with_plain_keys(query: Denotation, prover: Prover) -> Denotation:
    """The query without sort keys that only say where the next key's NULLs go, and without signs of keys."""
    width, world = len(query.names), prover.world
    terms, sorts = prover.tidy(query.bag), list(query.sorts)
    place = len(sorts) - 1
    while place >= 0:
        keys = [term.outs[width + place] for term in terms]
        if all(key.kind in NUMBERS and z3.is_app_of(key.val, z3.Z3_OP_UMINUS) for key in keys):
            sorts[place] = replace(sorts[place], descending=not sorts[place].descending)
            bare = [replace(key, val=key.val.arg(0), literal=None) for key in keys]
            terms = [_with_out(t, width + place, key) for t, key in zip(terms, bare, strict=True)]
        elif place + 1 < len(sorts):
            last = _says_nulls_last(world, terms, width + place)
            if last is not None:
                first = sorts[place].descending == last
                sorts[place + 1] = replace(sorts[place + 1], nulls_first=first)
                del sorts[place]
                cut = width + place
                terms = [replace(t, outs=(*t.outs[:cut], *t.outs[cut + 1 :])) for t in terms]
        place -= 1
    return replace(query, bag=Bag(tuple(terms)), sorts=tuple(sorts))


def _says_nulls_last(world: World, terms: list[Term], place: int) -> bool | None:
    """Whether a key is greater just where the next one is NULL, or less; None where it says anything else."""
    keys = [(term, term.outs[place], term.outs[place + 1].null) for term in terms]
    if not all(key.kind in (BOOL, INT) and (key.kind == BOOL or is_ite(key.val)) for _, key, _ in keys):
        return None
    for last in (True, False):
        if all(_is_flag(world, term, key, null if last else neg(null)) for term, key, null in keys):
            return last
    return None


def _is_flag(world: World, term: Term, key: Val, says: Formula) -> bool:
    """Whether a key is true, or 1, just where a formula holds, and else false, or 0."""
    value = key.val if key.kind == BOOL else ite(says, z3.IntVal(1), z3.IntVal(0))
    same = value == says if key.kind == BOOL else key.val == value
    return world.holds(condition(world, term), conj(neg(key.null), same))


def _with_out(term: Term, place: int, out: Val) -> Term:
    return replace(term, outs=(*term.outs[:place], out, *term.outs[place + 1 :]))


def _with_nulls_placed(query: Denotation, prover: Prover) -> Denotation:
    """The query with NULLs last in the sort keys that are never NULL."""
    width, world = len(query.names), prover.world
    terms = prover.tidy(query.bag)
    sorts = list(query.sorts)
    for i, sort in enumerate(sorts):
        nulls = [(term, term.outs[width + i].null) for term in terms]
        if all(is_false(null) or world.holds(condition(world, term), neg(null)) for term, null in nulls):
            sorts[i] = replace(sort, nulls_first=False)
    return replace(query, bag=Bag(tuple(terms)), sorts=tuple(sorts))


def _settled(world: World, terms: list[Term], known: list[int], key: int) -> bool:
    """Whether two rows that tie in the known keys tie in another one."""
    for one, other in itertools.combinations_with_replacement(terms, 2):
        copy = renamed(world, other)
        same = [null_safe_equal(world, one.outs[i], copy.outs[i]) for i in (*known, key)]
        if not world.holds(conj(condition(world, one), condition(world, copy), *same[:-1]), same[-1]):
            return False
    return True


def _constant_key(world: World, term: Term, key: Val) -> Expr | None:
    """The literal that a sort key always is, if any."""
    equal = equalities(conjuncts(term.cond))
    literal = next((e for e in [key.val, *equal.get(key.val.get_id(), ())] if not constants(e)), None)
    if literal is None:
        return None
    never = world.holds(condition(world, term), conj(neg(key.null), key.val == literal))
    return literal if never else None


def _same_expressions(left: Val, right: Val) -> bool:
    return bool(left.val.eq(right.val) and left.null.eq(right.null))


def _unsorted(query: Denotation) -> Denotation:
    return Denotation(query.names, query.unordered())
