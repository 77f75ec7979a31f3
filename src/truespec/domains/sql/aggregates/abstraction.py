"""A bag with its largest free subexpressions as parameters, so that one symbol serves for all its uses."""

from __future__ import annotations

from dataclasses import replace

import z3

from truespec.domains.sql.ir.bags import Bag, Group, Term, bound, conjuncts, substitute_bag
from truespec.domains.sql.ir.logic import Expr, Formula, conj, rebuilt
from truespec.domains.sql.ir.symbols import constants, is_not, operands, substituted
from truespec.domains.sql.ir.told_values import told_outside
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World


def abstracted(world: World, bag: Bag) -> tuple[Bag, list[Expr], list[Expr]]:
    """The bag with its largest free subexpressions as parameters; the parameters and their arguments."""
    table: dict[int, tuple[Expr, Expr]] = {}
    terms = []
    for term in bag.terms:
        own = bound(term)
        groups = []
        for group in term.groups:
            body, inner_formals, inner_arguments = abstracted(world, group.body)
            substitution = []
            for formal, argument in zip(inner_formals, inner_arguments, strict=True):
                known = table.setdefault(argument.get_id(), (formal, argument))
                if not known[0].eq(formal):
                    substitution.append((formal, known[0]))
            groups.append(Group(group.values, substitute_bag(body, substitution)))
        memo: dict[int, Expr] = {}

        def lift(node: Expr, own: set[str] = own, memo: dict[int, Expr] = memo) -> Expr:
            return _lift(world, node, own, table, memo)

        outs = tuple(Val(lift(out.null), lift(out.val), out.kind) for out in term.outs)
        terms.append(Term(term.rows, tuple(groups), lift(term.cond), outs))
    formals = [formal for formal, _ in table.values()]
    return Bag(tuple(terms)), formals, [argument for _, argument in table.values()]


def _lift(
    world: World, node: Expr, own: set[str], table: dict[int, tuple[Expr, Expr]], memo: dict[int, Expr]
) -> Expr:
    if node.get_id() in memo:
        return memo[node.get_id()]
    free = constants(node)
    result = node
    if is_not(node) and free:
        result = z3.Not(_lift(world, node.arg(0), own, table, memo))
    elif free and not free & own and not _has_outer_variable(node):
        if node.get_id() not in table:
            table[node.get_id()] = (world.fresh(node.sort(), "arg"), node)
        result = table[node.get_id()][0]
    elif free and z3.is_app(node) and node.num_args() > 0:
        children = [_lift(world, child, own, table, memo) for child in operands(node)]
        if any(not a.eq(b) for a, b in zip(children, operands(node), strict=True)):
            result = rebuilt(node, children)
    elif free and z3.is_quantifier(node):
        inner = _free_parts(node, own)
        pairs = []
        for part in inner:
            if part.get_id() not in table:
                table[part.get_id()] = (world.fresh(part.sort(), "arg"), part)
            pairs.append((part, table[part.get_id()][0]))
        if pairs:
            result = substituted(node, *pairs)
    memo[node.get_id()] = result
    return result


def _free_parts(quantifier: Expr, own: set[str]) -> list[Expr]:
    """The largest subexpressions below a quantifier that are free of it and of `own`."""
    found: dict[int, Expr] = {}
    seen: set[int] = set()
    todo = [quantifier.body()]
    while todo:
        node = todo.pop()
        if node.get_id() in seen:
            continue
        seen.add(node.get_id())
        free = constants(node)
        if free and not is_not(node) and not free & own and not _has_outer_variable(node):
            found.setdefault(node.get_id(), node)
        elif z3.is_quantifier(node):
            todo.append(node.body())
        elif z3.is_app(node):
            todo.extend(reversed(operands(node)))
    return list(found.values())


def _has_outer_variable(node: Expr) -> bool:
    """Whether a variable occurs whose quantifier lies outside the expression."""
    todo = [(node, 0)]
    seen: set[tuple[int, int]] = set()
    while todo:
        part, depth = todo.pop()
        if (part.get_id(), depth) in seen:
            continue
        seen.add((part.get_id(), depth))
        if z3.is_var(part):
            if z3.get_var_index(part) >= depth:
                return True
        elif z3.is_quantifier(part):
            todo.append((part.body(), depth + part.num_vars()))
        elif z3.is_app(part):
            todo.extend((child, depth) for child in operands(part))
    return False


def outer_part(term: Term) -> tuple[Formula, Term]:
    """The conjuncts that no bound variable occurs in, or need occur in, and the term without them."""
    told, term = told_outside(term)
    own = bound(term)
    outer: list[Formula] = []
    inner: list[Formula] = []
    for part in conjuncts(term.cond):
        (inner if constants(part) & own or not constants(part) else outer).append(part)
    return conj(*told, *outer), replace(term, cond=conj(*inner))
