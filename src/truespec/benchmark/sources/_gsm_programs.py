"""Recorded model programs of the GSM8K questions behind the templates, lifted to symbolic candidates.

A program computes with the numbers of one question. It becomes an expression by inlining its assignments and
reading each literal that equals the original value of exactly one variable as that variable. It is left out
where that is ambiguous, where a variable's original value is a word that programs spell in several ways, or
where the program is not straight-line arithmetic. What is kept is checked: at the original values the
expression must yield what the program yielded.
"""

from __future__ import annotations

import ast
import json
import math
import re
import warnings
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from truespec.benchmark.sources.gsm_template import Template
from truespec.benchmark.task import Origin, PairRecord, Skipped, Task

MAX_CHARACTERS = 4_000
"""Longer expressions are left out."""
KEPT_CALLS = {"abs", "min", "max", "int", "round", "floor", "ceil"}
"""Functions that mean the same in the programs and in the language."""


class Unliftable(Exception):
    """Why a program is left out."""


def read_programs(
    root: Path, folder: Path, tasks: Mapping[int, tuple[Task, Template]]
) -> Iterator[PairRecord | Skipped]:
    """A pair for each program that can be lifted, a `Skipped` for each that cannot."""
    by_question = {_plain(template.question): index for index, (_, template) in tasks.items()}
    for path in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            origin = Origin("gsm-symbolic", path.relative_to(root).as_posix(), f"line {number}")
            try:
                record = json.loads(line)
                index = int(record.get("idx", by_question.get(_plain(record["question"]), -1)))
                if index not in tasks:
                    raise Unliftable("no template has this question")
                task, template = tasks[index]
                source, result, right = _parts(record)
                candidate, read_as = lift(source, result, task)
            except (Unliftable, ValueError, KeyError, TypeError) as error:
                yield Skipped(origin, str(error) or type(error).__name__)
                continue
            yield PairRecord(
                id=f"{path.stem}/{template.id}",
                domain="arith",
                context=task.context,
                oracle=task.oracle,
                candidate=candidate,
                source=origin,
                upstream_label={"correct": right},
                extra={"model": path.stem, "task": task.id, "read_as": read_as},
            )


def _plain(question: str) -> str:
    return re.sub(r"\W+", " ", question).strip().lower()


def _parts(record: Mapping[str, Any]) -> tuple[str, Fraction, bool]:
    """The program, its result, and whether upstream counts it as right."""
    if "code" in record:
        found = re.search(r"```python\n(.*?)```", record["code"][0], re.DOTALL)
        if found is None:
            raise Unliftable("the record holds no Python block")
        source, result, wanted = found[1], record["pred"][0], record["gt"]
    else:
        generated = record["generated"]
        source = generated[0] if isinstance(generated, list) else generated
        result, wanted = record["executed"], record["answer"]
    try:
        value, right = Fraction(str(result).replace(",", "")), Fraction(str(wanted).replace(",", ""))
    except (ValueError, TypeError) as error:
        raise Unliftable(f"the program's result is {str(result)[:40]!r}, not a number") from error
    return source, value, bool(abs(value - right) < Fraction(1, 1000))


# --- lifting ------------------------------------------------------------------------------------------


def lift(source: str, result: Fraction, task: Task) -> tuple[str, dict[str, str]]:
    """The symbolic expression, and which literal was read as which variable."""
    defaults = _defaults(task)
    readings: dict[Fraction, str] = {}
    for name, value in defaults.items():
        if value in readings:
            raise Unliftable(f"{name!r} and {readings[value]!r} have the same original value {value}")
        readings[value] = name
    _check_occurrences(source, readings)
    tree = _inlined(source)
    literals: dict[str, str] = {}
    symbolic = _Symbolic(readings, _percentages(task, defaults, readings), literals).visit(tree)
    text = ast.unparse(ast.fix_missing_locations(symbolic))
    for name in sorted(set(defaults) & set(re.findall(r"\w+", task.oracle)) - set(literals.values())):
        # Forgotten, or spelt in a way that is not recognised: nobody can tell.
        raise Unliftable(f"the program does not write the value {defaults[name]} of {name!r}")
    if len(text) > MAX_CHARACTERS:
        raise Unliftable(f"the inlined program has {len(text):,} characters")
    from truespec.domains.arith.replay import CannotReplay, replay

    try:
        yielded = replay(text, defaults)
    except (CannotReplay, KeyError, TypeError) as error:
        raise Unliftable(f"the lifted program cannot be evaluated: {error}") from error
    if yielded is None or not math.isclose(yielded, result, rel_tol=1e-6):
        raise Unliftable(f"the lifted program yields {yielded} at the original values, the program {result}")
    return text, literals


def _check_occurrences(source: str, readings: Mapping[Fraction, str]) -> None:
    """A number written several times may be the variable in one place and a constant in another.

    Where every place is the whole right side of an assignment (`price = 3`), it is the variable.
    """
    seen: dict[str, list[bool]] = {}
    for node in ast.walk(_parsed(source)):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Constant) and type(child.value) in (int, float):
                name = readings.get(Fraction(str(child.value)))
                if name is not None:
                    seen.setdefault(name, []).append(isinstance(node, ast.Assign))
    ones = {name for number, name in readings.items() if number == 1}  # `1 + rate` is no variable
    for name, places in seen.items():
        if (len(places) > 1 or name in ones) and not all(places):
            raise Unliftable(f"the original value of {name!r} stands in several places of the program")


def _defaults(task: Task) -> dict[str, Fraction]:
    shown = task.extra["defaults"]
    variables = task.context["variables"]
    assert isinstance(shown, Mapping)
    assert isinstance(variables, Mapping)
    missing = set(variables) - set(shown)
    if missing:
        raise Unliftable(f"the original value of {min(missing)!r} is not known")
    return {name: Fraction(value) for name, value in shown.items()}


def _percentages(
    task: Task, defaults: Mapping[str, Fraction], readings: Mapping[Fraction, str]
) -> dict[Fraction, tuple[str, str]]:
    """Numbers that programs write for a percentage `p`: 0.2, 1.2 and 0.8 for 20 %, with their expressions."""
    found: dict[Fraction, tuple[str, str]] = {}
    for name, value in defaults.items():
        if not re.search(rf"\b{name}\s*(?:%|percent)", task.statement):
            continue
        part = value / 100
        for number, text in ((part, "{} / 100"), (1 + part, "1 + {} / 100"), (1 - part, "1 - {} / 100")):
            if number in found or number in readings:
                raise Unliftable(f"the number {float(number):g} could stand for several percentages")
            found[number] = name, text.format(name)
    return found


class _Symbolic(ast.NodeTransformer):
    def __init__(
        self,
        readings: Mapping[Fraction, str],
        percentages: Mapping[Fraction, tuple[str, str]],
        literals: dict[str, str],
    ) -> None:
        self.readings = readings
        self.percentages = percentages
        self.literals = literals

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        match node:
            case ast.BinOp(ast.Constant(value=int(a)), ast.Div(), ast.Constant(value=int(b))) if b:
                name = self.readings.get(Fraction(a, b))
                if name is not None and Fraction(a, b).denominator != 1:
                    self.literals[f"{a}/{b}"] = name
                    return ast.Name(name, ast.Load())
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, bool) or not isinstance(node.value, int | float):
            raise Unliftable(f"the literal {node.value!r:.40}")
        number = Fraction(str(node.value))
        if number in self.percentages:
            name, text = self.percentages[number]
            self.literals[str(node.value)] = name
            return ast.parse(text, mode="eval").body
        name = self.readings.get(number, "")
        if not name:
            return node
        self.literals[str(node.value)] = name
        return ast.Name(name, ast.Load())


def _inlined(source: str) -> ast.expr:
    """The value that the program computes, as one expression without names."""
    return _Run().module(_parsed(source))


def _parsed(source: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError) as error:
            raise Unliftable(f"the program does not parse: {error}") from error


class _Run:
    def __init__(self) -> None:
        self.functions: dict[str, ast.FunctionDef] = {}
        self.printed: ast.expr | None = None

    def module(self, module: ast.Module) -> ast.expr:
        names: dict[str, ast.expr] = {}
        self._block(module.body, names)
        if "ans" in names:
            return names["ans"]
        if self.printed is not None:
            return self.printed
        raise Unliftable("the program neither prints nor sets 'ans'")

    def _block(self, body: list[ast.stmt], names: dict[str, ast.expr]) -> ast.expr | None:
        for statement in body:
            match statement:
                case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Expr(value=ast.Constant()):
                    continue
                case ast.FunctionDef(name=name):
                    self.functions[name] = statement
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    names[name] = self._value(value, names)
                case ast.AugAssign(target=ast.Name(id=name), op=op, value=value) if name in names:
                    names[name] = ast.BinOp(names[name], op, self._value(value, names))
                case ast.Return(value=value) if value is not None:
                    return self._value(value, names)
                case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=args)) if args:
                    self.printed = self._value(args[-1], names)
                case _:
                    raise Unliftable(f"a statement that is not an assignment: {type(statement).__name__}")
        return None

    def _value(self, node: ast.expr, names: Mapping[str, ast.expr]) -> ast.expr:
        match node:
            case ast.Constant():
                return node
            case ast.Name(id=name):
                if name not in names:
                    raise Unliftable(f"the name {name!r} has no value")
                return names[name]
            case ast.BinOp(left=left, op=op, right=right):
                made = ast.BinOp(self._value(left, names), op, self._value(right, names))
                if sum(1 for _ in ast.walk(made)) > MAX_CHARACTERS:
                    raise Unliftable("the inlined program is too large")
                return made
            case ast.UnaryOp(op=op, operand=inner):
                return ast.UnaryOp(op, self._value(inner, names))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return ast.IfExp(*(self._value(part, names) for part in (test, body, orelse)))
            case ast.Compare(left=left, ops=ops, comparators=others):
                return ast.Compare(
                    self._value(left, names), ops, [self._value(other, names) for other in others]
                )
            case ast.Call(func=ast.Name(id="float"), args=[inner]):
                return self._value(inner, names)
            case ast.Call(func=ast.Name(id=name), args=[], keywords=[]) if name in self.functions:
                function = self.functions[name]
                if function.args.args:
                    raise Unliftable(f"the function {name!r} has parameters")
                result = self._block(function.body, dict(names))
                if result is None:
                    raise Unliftable(f"the function {name!r} returns nothing")
                return result
            case ast.Call(
                func=ast.Name(id=name) | ast.Attribute(value=ast.Name(id="math"), attr=name), args=args
            ):
                if name in KEPT_CALLS and not node.keywords:
                    return ast.Call(ast.Name(name, ast.Load()), [self._value(arg, names) for arg in args], [])
        raise Unliftable(f"an expression that is not arithmetic: {ast.unparse(node)[:60]!r}")
