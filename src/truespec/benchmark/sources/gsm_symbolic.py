"""GSM-Symbolic: 250 templates (symbolic, p1, p2) as arithmetic tasks, recorded model programs as candidates.

A template gives each variable a domain (`#init`), conditions, and two oracles: the `#answer` line and the
`####` hole of its worked solution, which wins. What this reader decides:

- `range(a, b, s)`, `numbers_within(a, b)` (both ends), `np.arange`, `frange`, lists and samples of numbers or
  of (word, number) pairs become bounds, steps and memberships.
- A number drawn from a word list that was never published is a positive rational without a range; the tag
  `no-range:NAME` marks it.
- A variable that holds words takes the value of the original problem, in the statement and in conditions
  such as `period == "week"`; the tag `fixed:NAME=VALUE` marks one that the oracle depends on.
- Units and meanings are read off the template by `gsm_units.py`. The tag `ambiguous:NAME` marks a variable
  that stands for two values of the original problem.
- An answer that is a variable, fixed only by an equation, is solved for; the variable is not exposed, and
  what was said of it is said of the solution.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from truespec.benchmark.leaks import telling_constraints
from truespec.benchmark.sources._gsm_programs import read_programs
from truespec.benchmark.sources.gsm_template import PLACEHOLDER, Template, Unreadable, read_template
from truespec.benchmark.sources.gsm_units import ambiguous, meanings, units
from truespec.benchmark.task import HIDDEN, Origin, PairRecord, Skipped, Task
from truespec.verdict import TruespecError, UsageError

DATASET = "gsm-symbolic"
SETS = ("symbolic", "p1", "p2")
UNPUBLISHED = {
    "multi_times", "multiple_ice", "multiple", "fractions", "fraction_nums", "fraction_alnum",
    "fraction_alph", "fraction_decimals",
}  # fmt: skip
"""Word lists of numbers, or of words with their numbers."""
WORDS = {
    "half": "1/2", "a half": "1/2", "third": "1/3", "a third": "1/3", "one-third": "1/3", "two-thirds": "2/3",
    "quarter": "1/4", "a quarter": "1/4", "three quarters": "3/4", "one-fifth": "1/5", "three-fifths": "3/5",
    "twice": "2", "double": "2", "thrice": "3", "triple": "3", "three times": "3", "four times": "4",
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
    "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "twenty": "20", "forty-two": "42",
}  # fmt: skip
"""Number words among the values of the original problems."""


def read(folder: Path) -> Iterator[Task | PairRecord | Skipped]:
    """The tasks of all templates, then the recorded programs as pairs; broken records become `Skipped`."""
    root = next((path for path in (folder / "templates", folder) if (path / SETS[0]).is_dir()), None)
    if root is None:
        raise UsageError(f"{folder} holds no GSM-Symbolic templates: expected templates/symbolic/0000.json")
    tasks: dict[int, tuple[Task, Template]] = {}
    for name in SETS:
        for path in sorted((root / name).glob("*.json")):
            origin = Origin(DATASET, path.relative_to(folder).as_posix())
            try:
                template = read_template(path, f"{name}/{path.stem}")
                task = make_task(template, origin)
            except (Unreadable, TruespecError, ValueError, KeyError, SyntaxError) as error:
                yield Skipped(origin, f"{type(error).__name__.strip('_')}: {error}")
                continue
            if name == "symbolic":
                tasks[template.original] = task, template
            yield task
    programs = next(
        (path for path in (folder / "llm_programs", root.parent / "llm_programs") if path.is_dir()), None
    )
    if programs is not None:
        yield from read_programs(folder, programs, tasks)


# --- from template to task ----------------------------------------------------------------------------


def make_task(template: Template, origin: Origin) -> Task:
    """The task; raises where a part cannot be expressed."""
    words = {name: template.defaults.get(name, "") for name in template.domains if _is_word(template, name)}
    oracle = _clean(template, template.hole or template.answer, words)
    conditions = [_clean(template, text, words) for text in template.conditions]
    solved = None
    if oracle in template.numeric:
        oracle, solved, conditions = _solve(template, oracle, conditions)
    used = {name for text in (oracle, *conditions) for name in _names(text)}
    used |= template.numeric & (set(template.defaults) - {solved[0] if solved else ""})
    variables: dict[str, dict[str, str]] = {}
    constraints: list[str] = []
    for name in template.domains:
        if name in used and name not in words:
            kind, said, tag = _domain(template, name)
            variables[name] = {"type": kind}
            constraints += said
            template.tags += [tag] if tag else []
    if solved is not None:
        name, solution = solved
        kind, said, _ = _domain(template, name)
        constraints += [_substituted(text, name, solution) for text in said]
        if kind == "int" and ("/" in solution or "." in solution):
            constraints.append(f"is_int({solution})")
        template.tags.append(f"solved:{name}")
    unknown = used - set(variables)
    if unknown:
        raise Unreadable(f"the names {sorted(unknown)} have no numeric domain")
    constraints += [text for text in conditions if text not in constraints]
    set_name = template.id.split("/")[0]
    template.tags += [f"ambiguous:{name}" for name in ambiguous(template, variables)]
    hidden = telling_constraints(oracle, constraints, list(variables))
    found = units(template, variables)
    return Task(
        id=f"{DATASET}/{template.id}",
        domain="arith",
        statement=_statement(template, variables),
        context={"variables": variables, "constraints": constraints},
        oracle=oracle,
        source=origin,
        tags=(set_name, *dict.fromkeys(template.tags)),
        extra={
            "gsm8k_index": template.original,
            "defaults": _numeric_defaults(template, variables),
            "units": found,
            "meanings": meanings(template, found, [one for one in constraints if one not in hidden]),
            **({HIDDEN: hidden} if hidden else {}),
        },
    )


def _statement(template: Template, variables: Mapping[str, object]) -> str:
    """The text with the names of numeric variables, and the original words for all others."""
    return PLACEHOLDER.sub(lambda m: m[1] if m[1] in variables else m[2], template.statement)


def _numeric_defaults(template: Template, variables: Mapping[str, object]) -> dict[str, str]:
    """The original problem's values of the variables, where they are numbers or known number words."""
    found: dict[str, str] = {}
    for name in variables:
        text = template.defaults.get(name, "").replace(",", "")
        text = WORDS.get(text.lower(), text)
        try:
            found[name] = str(Fraction(text))
        except (ValueError, ZeroDivisionError):
            continue
    return found


def _is_word(template: Template, name: str) -> bool:
    """Whether a variable holds a word: not marked as a number, and not drawn from numbers."""
    if name in template.numeric:
        return False
    domain = template.domains[name]
    return any(
        isinstance(node, ast.Constant) and isinstance(node.value, str) for node in ast.walk(domain)
    ) or not _is_numeric(domain)


def _is_numeric(domain: ast.expr) -> bool:
    try:
        return bool(_values(domain).kind)
    except Unreadable:
        return False


class _Cleaner(ast.NodeTransformer):
    """Reads words at their value, `pair[1]` as the pair's number, `== False` as a negation."""

    def __init__(self, template: Template, words: Mapping[str, str]) -> None:
        self.template = template
        self.words = words
        self.fixed: dict[str, str] = {}

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if (
            isinstance(node.value, ast.Name)
            and isinstance(node.slice, ast.Constant)
            and node.slice.value == 1
        ):
            return node.value
        raise Unreadable(f"the subscript {ast.unparse(node)!r}")

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        match node:
            case ast.Compare(
                left=ast.Name(id=name), ops=[ast.Eq()], comparators=[ast.Constant(value=str(word))]
            ):
                if name not in self.words:
                    raise Unreadable(f"{name!r} is compared with a word")
                self.fixed[name] = self.words[name]
                return ast.Constant(self.words[name] == word)
            case ast.Compare(left=inner, ops=[ast.Eq()], comparators=[ast.Constant(value=False)]):
                return ast.UnaryOp(ast.Not(), self.visit(inner))
        self.generic_visit(node)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        truth = _truth(node.test)
        return node if truth is None else node.body if truth else node.orelse


def _truth(node: ast.expr) -> bool | None:
    match node:
        case ast.Constant(value=bool(value)):
            return value
        case ast.BoolOp(op=op, values=values):
            truths = [_truth(value) for value in values]
            if None in truths:
                return None
            return all(truths) if isinstance(op, ast.And) else any(truths)
    return None


def _clean(template: Template, text: str, words: Mapping[str, str]) -> str:
    text = re.sub(r"\s+", " ", text.strip())
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError as error:
        raise Unreadable(f"{text!r} is not an expression: {error.msg}") from error
    cleaner = _Cleaner(template, words)
    before = ast.unparse(tree)
    tree = ast.fix_missing_locations(cleaner.visit(tree))
    template.tags += [f"fixed:{name}={value}" for name, value in cleaner.fixed.items()]
    # The text as written, unless something had to change: a rewritten decimal would not be the same text.
    after = ast.unparse(tree)
    return text if before == after else after


def _names(text: str) -> set[str]:
    functions = {node.func.id for node in ast.walk(ast.parse(text, mode="eval"))
                 if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}  # fmt: skip
    return {
        node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)
    } - functions


# --- an answer that an equation determines ------------------------------------------------------------


def _solve(template: Template, name: str, conditions: list[str]) -> tuple[str, tuple[str, str], list[str]]:
    """The oracle, the variable with its solution, and the conditions without the equation."""
    for position, text in enumerate(conditions):
        match ast.parse(text, mode="eval").body:
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]) if name in _names(text):
                solution = _isolated(name, left, right) or _isolated(name, right, left)
                if solution is not None:
                    rest = [
                        _substituted(t, name, solution) for i, t in enumerate(conditions) if i != position
                    ]
                    return solution, (name, solution), rest
    raise Unreadable(f"the answer is the variable {name!r}, which no linear equation determines")


def _isolated(name: str, side: ast.expr, other: ast.expr) -> str | None:
    """The value of the variable from `side == other`, where one term of the sum `side` holds it."""
    if name in _names(ast.unparse(other)):
        return None
    terms = list(_terms(side, True))
    holding = [(term, sign) for term, sign in terms if name in _names(ast.unparse(term))]
    if len(holding) != 1:
        return None
    ((term, sign),) = holding
    factor: ast.expr | None = None
    match term:
        case ast.Name():
            pass
        case ast.BinOp(left=ast.Name(id=found), op=ast.Mult(), right=factor) if found == name:
            pass
        case ast.BinOp(left=factor, op=ast.Mult(), right=ast.Name(id=found)) if found == name:
            pass
        case _:
            return None
    if factor is not None and name in _names(ast.unparse(factor)):
        return None
    total = ast.unparse(other)
    for each, plus in terms:
        if each is not term:
            shown = ast.unparse(each)
            shown = (
                f"({shown})"
                if isinstance(each, ast.BinOp) and isinstance(each.op, ast.Add | ast.Sub)
                else shown
            )
            total += f" {'-' if plus else '+'} {shown}"
    if not sign:
        total = f"-({total})"
    return total if factor is None else f"({total}) / ({ast.unparse(factor)})"


def _terms(node: ast.expr, sign: bool) -> Iterator[tuple[ast.expr, bool]]:
    match node:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield from _terms(left, sign)
            yield from _terms(right, sign)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            yield from _terms(left, sign)
            yield from _terms(right, not sign)
        case _:
            yield node, sign


def _substituted(text: str, name: str, solution: str) -> str:
    return re.sub(rf"\b{re.escape(name)}\b", f"({solution})", text)


# --- domains ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Values:
    """A domain: `range` (first, last, step), `list` (values), or `unpublished`; no kind for words."""

    kind: str
    values: tuple[Fraction, ...] = ()
    step: Fraction = Fraction(1)


def _domain(template: Template, name: str) -> tuple[str, list[str], str]:
    """The type, the constraints, and a tag for a missing range."""
    found = _values(template.domains[name])
    match found.kind:
        case "unpublished":
            return "real", [f"{name} > 0"], f"no-range:{name}"
        case "list":
            values = sorted(set(found.values))
            kind = "int" if all(value.denominator == 1 for value in values) else "real"
            if len(values) == 1:
                return kind, [f"{name} == {_number(values[0])}"], ""
            return kind, [" or ".join(f"{name} == {_number(value)}" for value in values)], ""
        case "range":
            first, last = found.values
            kind = "int" if first.denominator == found.step.denominator == 1 else "real"
            said = [f"{_number(first)} <= {name} <= {_number(last)}"]
            if kind == "real" or found.step != 1:
                offset = "" if (first / found.step).denominator == 1 else f" - {_number(first)}"
                said.append(f"divides({name}{offset}, {_number(found.step)})")
            return kind, said, ""
    raise Unreadable(f"the domain of {name!r} is {ast.unparse(template.domains[name])!r}")


def _values(node: ast.expr) -> _Values:
    match node:
        case ast.Name(id=name) if name in UNPUBLISHED:
            return _Values("unpublished")
        case ast.Subscript(value=inner):
            found = _values(inner)
            if found.kind == "unpublished":
                return found
        case ast.BinOp(left=left, op=ast.Mult(), right=ast.Constant()):
            return _values(left)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            parts = _values(left), _values(right)
            if "unpublished" in (parts[0].kind, parts[1].kind):
                return _Values("unpublished")
        case ast.List(elts=elements):
            return _Values("list", tuple(_element(element) for element in elements))
        case ast.Call(func=ast.Name(id="sample" | "list" | "shuffle_list" | "fix_floats"), args=[inner, *_]):
            return _values(inner)
        case ast.Call(func=ast.Name(id="numbers_within"), args=[low, high]):
            return _Values("range", (_exact(low), _exact(high)))
        case ast.Call(func=ast.Attribute(attr="randint"), args=[low, high, *_]):
            return _Values("range", (_exact(low), _exact(high) - 1))
        case (
            ast.Call(func=ast.Name(id="range" | "frange"), args=args)
            | ast.Call(func=ast.Attribute(attr="arange"), args=args)
        ):
            numbers = [_exact(arg) for arg in args]
            first, stop = (Fraction(0), numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1])
            step = numbers[2] if len(numbers) == 3 else Fraction(1)
            if step <= 0 or stop <= first:
                raise Unreadable(f"the empty or falling range {ast.unparse(node)!r}")
            count = -((first - stop) // step)  # the ceiling of (stop - first) / step
            return _Values("range", (first, first + (count - 1) * step), step)
    raise Unreadable(f"the domain {ast.unparse(node)!r} holds no numbers")


def _element(node: ast.expr) -> Fraction:
    match node:
        case ast.Tuple(elts=[_, value]):
            return _exact(value)
    return _exact(node)


def _exact(node: ast.expr) -> Fraction:
    try:
        return Fraction(ast.unparse(node))
    except ValueError as error:
        raise Unreadable(f"{ast.unparse(node)!r} is not a number") from error


def _number(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    decimals = 1
    while (value * 10**decimals).denominator != 1:
        decimals += 1
        if decimals > 12:
            return f"Fraction({value.numerator}, {value.denominator})"
    return _decimal(value, decimals)


def _decimal(value: Fraction, decimals: int) -> str:
    digits = str(abs(value.numerator * 10**decimals // value.denominator)).rjust(decimals + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-decimals]}.{digits[-decimals:]}"
