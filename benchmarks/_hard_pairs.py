"""Pairs that grow: each family is a pair of a size, meant to outlast any limit when the size is large."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from truespec.domains.verify import Pair

Family = Callable[[int], Pair]

INTS = {name: {"type": "int"} for name in "xyz"}
REALS = {name: {"type": "real"} for name in "xyz"}


def _arith(oracle: str, candidate: str, constraints: tuple[str, ...] = (), real: bool = False) -> Pair:
    context = {"variables": REALS if real else INTS, "constraints": list(constraints)}
    return Pair("arith", oracle, candidate, context)


def _nested(opening: str, core: str, closing: str, n: int) -> str:
    return opening * n + core + closing * n


ARITH: dict[str, Family] = {
    "power of a sum": lambda n: _arith(f"(x + y + z) ** {n}", f"(x + z + y) ** {n} + x - x"),
    "power tower": lambda n: _arith(f"x ** {n} ** {n}", f"x ** {n} ** {n} + 0 * y"),
    "tower of constants": lambda n: _arith(f"{n} ** {n} ** {n}", f"{n} ** {n} ** {n} + x"),
    "huge literal": lambda n: _arith("x * " + "9" * (n * 100), "x * " + "9" * (n * 100) + " + 1 - 1"),
    "product of differences": lambda n: _arith(
        " * ".join(f"(x - {k} * y)" for k in range(n)),
        " * ".join(f"(x - y * {k})" for k in reversed(range(n))),
    ),
    "division chain": lambda n: _arith(
        " // ".join(["x", *(f"({k} + y * y)" for k in range(1, n))]),
        " // ".join(["x", *(f"(y * y + {k})" for k in range(n - 1, 0, -1))]),
    ),
    "modulo of products": lambda n: _arith(
        " + ".join(f"(x * y + {k}) % {k + 2}" for k in range(n)),
        " + ".join(f"(y * x + {k} + {k + 2}) % {k + 2}" for k in range(n)),
    ),
    "conditions": lambda n: _arith(
        " + ".join(f"(1 if x * y > {k} else z)" for k in range(n)),
        " + ".join(f"(z if x * y <= {k} else 1)" for k in range(n)),
    ),
    "nested absolute": lambda n: _arith(_nested("abs(x - ", "y", ")", n), _nested("abs(", "y", " - x)", n)),
    "parentheses": lambda n: _arith(_nested("(", "x", ")", n), _nested("-(-(", "x", "))", n)),
    "long sum": lambda n: _arith(" + ".join(["x"] * n * 50), f"x * {n * 50}"),
    "hard constraints": lambda n: _arith(
        "x", "x + y", ("x > 1", "y > 1", f"x * y == {10**n + 7}", "x <= y"), False
    ),
    "three cubes": lambda n: _arith("x", "y", (f"x**3 + y**3 + z**3 == {n * 9 + 4}", "x > 100")),
    "division by sums": lambda n: _arith(
        " + ".join(f"1 / (x + {k} * y)" for k in range(1, n)),
        " + ".join(f"1 / ({k} * y + x)" for k in range(n - 1, 0, -1)),
        real=True,
    ),
    "rounded powers": lambda n: _arith(
        f"round(x ** {n} / 3)", f"int(floor(x ** {n} / 3 + Fraction(1, 2)))", (), True
    ),
}

REGEX: dict[str, Family] = {
    "counted loops": lambda n: Pair("regex", f"((a{{1,{n}}}){{1,{n}}}){{1,{n}}}", f"a{{1,{n**3}}}"),
    "last letters": lambda n: Pair("regex", f"(a|b)*a(a|b){{{n}}}", f"(a|b)*a(b|a){{{n}}}"),
    "last letters differ": lambda n: Pair("regex", f"(a|b)*a(a|b){{{n}}}", f"(a|b)*b(a|b){{{n}}}"),
    "catastrophic": lambda n: Pair("regex", f"(a*)*{'b' * n}", f"((a|aa)*)*{'b' * n}"),
    "optional letters": lambda n: Pair("regex", "a?" * n + "a" * n, f"a{{{n},{2 * n}}}"),
    "complements": lambda n: Pair(
        "regex",
        _nested("~((ab)*", "c", "d*)", n),
        _nested("~((ba)*", "c", "d*)", n),
        {"dialect": "deepregex"},
    ),
    "intersections": lambda n: Pair(
        "regex",
        "&".join(f"((.*{chr(97 + k % 26)}.*){{{k % 5 + 1}}})" for k in range(n)),
        "&".join(f"((.*{chr(97 + k % 26)}.*){{{k % 5 + 1}}})" for k in reversed(range(n))),
        {"dialect": "deepregex"},
    ),
    "look-aheads": lambda n: Pair(
        "regex",
        "".join(f"(?=.*{chr(97 + k % 26)}.{{{k}}})" for k in range(n)) + ".*",
        "".join(f"(?=.*{chr(97 + k % 26)}.{{{k}}})" for k in reversed(range(n))) + ".*",
    ),
    "look-behinds": lambda n: Pair(
        "regex", f".*(?<=a.{{{n}}})", f"(?s:.)*a.{{{n}}}", {"match": "search", "flags": "s"}
    ),
    "alternatives": lambda n: Pair(
        "regex",
        "|".join(f"{k}a*{k * 7}" for k in range(n * 20)),
        "|".join(f"{k}a*{k * 7}" for k in reversed(range(n * 20))),
    ),
    "any case": lambda n: Pair("regex", r"(?i)[\wk]" + r"\w?" * n, r"(?i)[\w]" + r"\w?" * n),
    "parentheses": lambda n: Pair("regex", _nested("(", "a", ")", n * 10), _nested("(?:", "a", ")", n * 10)),
    "long text": lambda n: Pair("regex", "abc" * n * 500, "abc" * n * 500 + "d?"),
    "search for a word far away": lambda n: Pair(
        "regex", f"a.{{{n}}}b.{{{n}}}c", f"a.{{{n}}}b.{{{n}}}[cd]", {"match": "search"}
    ),
    "word boundaries": lambda n: Pair("regex", r"(\b\w+\b ?)" * n, r"(\w+\b ?)" * n),
}


def _fol(oracle: str, candidate: str, axioms: tuple[str, ...] = ()) -> Pair:
    return Pair("fol", oracle, candidate, {"axioms": list(axioms)})


def _chain(names: list[str], by: str) -> str:
    text = names[0]
    for name in names[1:]:
        text = f"({text} {by} {name})"
    return text


FOL: dict[str, Family] = {
    "equivalences": lambda n: _fol(
        _chain([f"P{k}(a)" for k in range(n)], "↔"), _chain([f"P{k}(a)" for k in reversed(range(n))], "↔")
    ),
    "alternation": lambda n: _fol(
        "".join(f"∀x{k} ∃y{k} " for k in range(n))
        + "("
        + " ∧ ".join(f"R(x{k}, y{k})" for k in range(n))
        + ")",
        "".join(f"∃y{k} ∀x{k} " for k in range(n))
        + "("
        + " ∧ ".join(f"R(x{k}, y{k})" for k in range(n))
        + ")",
    ),
    "pigeons": lambda n: _fol(
        " ∧ ".join("(" + " ∨ ".join(f"In(p{i}, h{j})" for j in range(n)) + ")" for i in range(n + 1)),
        "("
        + " ∨ ".join(
            f"(In(p{i}, h{j}) ∧ In(p{k}, h{j}))" for j in range(n) for i in range(n + 1) for k in range(i)
        )
        + ") ∧ ("
        + " ∧ ".join("(" + " ∨ ".join(f"In(p{i}, h{j})" for j in range(n)) + ")" for i in range(n + 1))
        + ")",
    ),
    "infinite order": lambda n: _fol(
        "∃x P(x)",
        "∃x (P(x) ∧ ¬Q(x))",
        (
            "∀x ∃y L(x, y)",
            "∀x ¬L(x, x)",
            "∀x ∀y ∀z ((L(x, y) ∧ L(y, z)) → L(x, z))",
            *(f"∀x (Q{k}(x) → ∃y (L(x, y) ∧ Q{k + 1}(y)))" for k in range(n)),
        ),
    ),
    "wide predicate": lambda n: _fol(
        "".join(f"∀x{k} " for k in range(n)) + f"R({', '.join(f'x{k}' for k in range(n))})",
        "".join(f"∀x{k} " for k in range(n)) + f"R({', '.join(f'x{k}' for k in reversed(range(n)))})",
    ),
    "negations": lambda n: _fol("¬" * n * 20 + "P(a)", "P(a)"),
    "parentheses": lambda n: _fol(_nested("(", "P(a)", ")", n * 10), "P(a)"),
    "exclusive": lambda n: _fol(
        " ⊕ ".join(f"∃x (P{k}(x) ∧ R(x, x))" for k in range(n)),
        " ⊕ ".join(f"∃x (R(x, x) ∧ P{k}(x))" for k in reversed(range(n))),
    ),
    "many constants": lambda n: _fol(
        " ∧ ".join(f"¬(c{i} = c{j})" for i in range(n) for j in range(i)),
        " ∧ ".join(f"¬(c{j} = c{i})" for i in range(n) for j in range(i)) + " ∧ ∃x P(x)",
    ),
}

DDL = "CREATE TABLE t (a INT PRIMARY KEY, b INT, c VARCHAR(20)); CREATE TABLE u (d INT, e INT, f TEXT);"


def _sql(oracle: str, candidate: str, dialect: str) -> Pair:
    return Pair("sql", oracle, candidate, {"schema": DDL, "dialect": dialect})


def _joins(n: int, by: str) -> str:
    return "SELECT COUNT(*) FROM " + by.join(f"u u{k}" for k in range(n))


def _sql_families(dialect: str) -> dict[str, Family]:
    def of(oracle: Callable[[int], str], candidate: Callable[[int], str]) -> Family:
        return lambda n: _sql(oracle(n), candidate(n), dialect)

    many = "SELECT 1 UNION ALL SELECT k + 1 FROM r WHERE k < {n}00000"
    return {
        f"{dialect}, cross joins": of(lambda n: _joins(n, ", "), lambda n: _joins(n, " CROSS JOIN ")),
        f"{dialect}, nested queries": of(
            lambda n: "SELECT a FROM t WHERE " + _nested("b IN (SELECT d FROM u WHERE ", "e = 1", ")", n),
            lambda n: "SELECT a FROM t WHERE " + _nested("b IN (SELECT d FROM u WHERE ", "1 = e", ")", n),
        ),
        f"{dialect}, conditions": of(
            lambda n: (
                "SELECT a FROM t WHERE "
                + " OR ".join(f"(a > {k} AND b < {k * k} AND c LIKE '%{k}%')" for k in range(n))
            ),
            lambda n: (
                "SELECT a FROM t WHERE "
                + " OR ".join(f"(b < {k * k} AND c LIKE '%{k}%' AND a > {k})" for k in reversed(range(n)))
            ),
        ),
        f"{dialect}, cases": of(
            lambda n: "SELECT " + _nested("CASE WHEN a > b THEN a ELSE ", "b", " END", n) + " FROM t",
            lambda n: "SELECT CASE WHEN a > b THEN a ELSE b END FROM t",
        ),
        f"{dialect}, long recursion": of(
            lambda n: f"WITH RECURSIVE r(k) AS ({many.format(n=n)}) SELECT COUNT(*) FROM r",
            lambda n: f"WITH RECURSIVE r(k) AS ({many.format(n=n)}) SELECT MAX(k) FROM r",
        ),
        f"{dialect}, self joins": of(
            lambda n: (
                "SELECT t0.a FROM "
                + " JOIN ".join(["t t0", *(f"t t{k} ON t{k}.b = t{k - 1}.a" for k in range(1, n))])
            ),
            lambda n: (
                "SELECT t0.a FROM "
                + " JOIN ".join(["t t0", *(f"t t{k} ON t{k - 1}.a = t{k}.b" for k in range(1, n))])
                + " WHERE t0.a = t0.a"
            ),
        ),
        f"{dialect}, unions": of(
            lambda n: " UNION ALL ".join(f"SELECT a + {k} FROM t" for k in range(n)),
            lambda n: " UNION ALL ".join(f"SELECT {k} + a FROM t" for k in reversed(range(n))),
        ),
        f"{dialect}, parentheses": of(
            lambda n: f"SELECT {_nested('(', 'a', ')', n)} FROM t", lambda n: "SELECT a FROM t"
        ),
    }


SQL: dict[str, Family] = {
    name: family
    for dialect in ("sqlite", "mysql", "postgres", "duckdb")
    for name, family in _sql_families(dialect).items()
}


def _rocq(oracle: str, candidate: str) -> Pair:
    head = "Definition spec (x y r : Z) : Prop := "
    return Pair("rocq", head + oracle, head + candidate, {"signature": "(x y r : Z) : Prop"})


ROCQ: dict[str, Family] = {
    "power": lambda n: _rocq(f"r = x ^ {n}.", f"r = x ^ {n - 1} * x."),
    "heavy computation": lambda n: _rocq(f"r = 2 ^ {n}00000.", f"r = 2 ^ {n}00000 + x."),
    "unary numbers": lambda n: _rocq(f"Z.to_nat r = ({n} * {n} * 10)%nat.", f"r = {n} * {n} * 10."),
    "disjunctions": lambda n: _rocq(
        " \\/ ".join(f"r = x + {k}" for k in range(n)) + ".",
        " \\/ ".join(f"x = r - {k}" for k in reversed(range(n))) + ".",
    ),
    "quantifiers": lambda n: _rocq(
        "forall k, 0 < k < x -> (r mod k = 0) -> exists j, j * k = y.", f"x * y > {n} * r."
    ),
}


def _temporal(oracle: str, candidate: str, logic: str = "ltlf") -> Pair:
    return Pair("temporal", oracle, candidate, {"logic": logic})


def _fair(n: int, by: str, logic: str) -> Pair:
    parts = [f"(G F a{k})" for k in range(n)]
    return _temporal(by.join(parts), by.join(reversed(parts)), logic)


TEMPORAL: dict[str, Family] = {
    "nexts": lambda n: _temporal("X " * n + "a", "X " * n + "(a & (b | !b))"),
    "far letters": lambda n: _temporal(f"F (a & {'X ' * n} b)", f"F (a & {'X ' * n} (b & !a | b & a))"),
    "far letters, infinite": lambda n: _temporal(
        f"G F (a & {'X ' * n} b)", f"F G (a -> {'X ' * n} b)", "ltl"
    ),
    "untils": lambda n: _temporal(
        " U ".join(f"a{k}" for k in range(n)),
        "(" * (n - 1) + "a0" + "".join(f" U a{k})" for k in range(1, n)),
    ),
    "fairness": lambda n: _fair(n, " & ", "ltl"),
    "some fairness": lambda n: _fair(n, " | ", "ltl"),
    "orders": lambda n: _temporal(
        " & ".join(f"(!b{k} W a{k})" for k in range(n)),
        " & ".join(f"!(!a{k} U (b{k} & !a{k}))" for k in range(n)),
    ),
    "past": lambda n: _temporal(f"G (a -> O (b & {'Y ' * n} a))", f"G (a -> O ({'Y ' * n} a & b & b))"),
    "since": lambda n: _temporal(
        " S ".join(f"a{k}" for k in range(n)), " S ".join(f"(a{k} & a{k})" for k in range(n)), "ltl"
    ),
    "parentheses": lambda n: _temporal(_nested("(", "a", ")", n * 10), _nested("!(!(", "a", "))", n * 5)),
    "exclusive or": lambda n: _temporal(
        _chain([f"(F a{k})" for k in range(n)], "<->"),
        _chain([f"(F a{k})" for k in reversed(range(n))], "<->"),
    ),
}

FAMILIES: dict[str, dict[str, Family]] = {
    "arith": ARITH,
    "regex": REGEX,
    "fol": FOL,
    "sql": SQL,
    "rocq": ROCQ,
    "temporal": TEMPORAL,
}


def pairs(domain: str, sizes: tuple[int, ...]) -> Iterator[tuple[str, int, Pair]]:
    """Every family of a domain at each size."""
    for name, family in FAMILIES[domain].items():
        for size in sizes:
            yield name, size, family(size)
