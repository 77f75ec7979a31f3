"""Judged candidates made by hand, hostile ones among them; shared by the tests of reports."""

from __future__ import annotations

from truespec.reports.entry import Entry, Judged
from truespec.verdict import (
    Bounded,
    Counterexample,
    Proof,
    ReasonCode,
    Relation,
    Verdict,
    equivalent,
    invalid,
    refuted,
    unknown,
)

SCRIPT = "<script>alert('x')</script>"
HOSTILE = [
    SCRIPT,
    "\"'><img src=x onerror=alert(1)>",
    "</pre></details></body>",
    "{{ 7 * 7 }}{% raw %}",
    "\0\x07\x1b[31mred\x1b[0m",
    "\u202egnitirw\u202c \u2066isolated",
    "\ud800 lone \udfff",
    "</script><script>alert(2)</script>",
    "&lt;b&gt; &amp;amp;",
    "x" * 100_000,
]


def proved(domain: str, seconds: float = 0.002) -> Verdict:
    proof = Proof("unsat", ("z3 4.15", "the translation to SMT"), ("cvc5 1.3",), {"steps": 3})
    return equivalent(domain, "smt", proof).timed(seconds)


def entries() -> list[Entry]:
    """One entry for each domain that has its own way of showing counterexamples, and one for any other."""
    string = Counterexample({"string": "a\n\u0660 "}, False, True, "Python re 3.11")
    values = Counterexample({"h": 0, "k": "25/2"}, "23", {"undefined": "division by zero"}, "exact rationals")
    world = Counterexample(
        {
            "domain": ["e1", "e2"],
            "constants": {"anna": "e1", "ben": "e1"},
            "predicates": {
                "Tall": [["e1"]],
                "Likes": [["e1", "e2"]],
                "Gives": [["e1", "e2", "e1"]],
                "Odd": [],
            },
        },
        True,
        False,
        "Tarski",
    )
    rows = Counterexample(
        {"tables": {"t": [[1, None]]}, "script": "INSERT INTO t VALUES (1, NULL)"}, [[1]], [], "SQLite 3.46"
    )
    weaker = refuted("regex", "derivatives", string, Relation.WEAKER).timed(0.0007)
    undecided = unknown("regex", ReasonCode.UNSUPPORTED, "back-reference at column 4")
    unparsed = invalid("regex", ReasonCode.SYNTAX, "candidate: unclosed (at column 1)")
    unwrapped = refuted("arith", "z3", values).timed(0.02)
    return [
        Entry(
            "regex-1",
            "regex",
            "[0-9]+",
            (
                Judged("r1", r"\d+", weaker, "refuted"),
                Judged("r2", "[0-9][0-9]*", proved("regex"), "equivalent", "rewritten"),
                Judged("r3", r"(a)\1", undecided, "refuted"),
                Judged("r4", "(", unparsed, "invalid"),
            ),
            statement="One or more digits.",
            context={"dialect": "python", "flags": ""},
        ),
        Entry(
            "arith-1",
            "arith",
            "(h - k) % 24",
            (Judged("a1", "h - k", unwrapped, "refuted", "careless", "no wrapping"),),
            statement="Which hour was it k hours ago?",
            context={"variables": {"h": {"type": "int"}, "k": {"type": "real"}}, "constraints": ["h >= 0"]},
            meanings={"h": "hour, in hours"},
        ),
        Entry(
            "fol-1",
            "fol",
            "∃x Likes(anna, x)",
            (Judged("f1", "Likes(anna, ben)", refuted("fol", "finite model", world, Relation.INCOMPARABLE)),),
            context={"predicates": {"Likes": 2}, "constants": ["anna", "ben"], "axioms": []},
        ),
        Entry(
            "sql-1",
            "sql",
            "SELECT a FROM t",
            (
                Judged("s1", "SELECT b FROM t", refuted("sql", "search", rows)),
                Judged(
                    "s2",
                    "SELECT a FROM t t2",
                    unknown("sql", ReasonCode.INCOMPLETE, "no proof", bounded=Bounded({"rows": 2})),
                ),
            ),
            context={"schema": "CREATE TABLE t (\n  a INT,\n  b INT\n);", "settings": {"mode": "strict"}},
        ),
    ]


def hostile() -> list[Entry]:
    """Every hostile text in every place that a text can take."""
    found = []
    for number, text in enumerate(HOSTILE):
        at = Counterexample({"string": text, text: text}, text, {text: text}, text)
        named = Counterexample({text: text}, text, None, text)
        world = Counterexample(
            {
                "domain": [text],
                "constants": {text: text},
                "predicates": {text: [[text]], text + "2": [[text, text]]},
            },
            text,
            text,
            text,
        )
        judged = (
            Judged(f"{text}{number}", text, refuted("regex", text, at), text, text, text),
            Judged(f"{text}p", text, equivalent("regex", text, Proof(text, (text,), (text,))), "equivalent"),
            Judged(f"{text}u", text, unknown("regex", ReasonCode.CRASH, text), None, text),
            Judged(f"{text}i", text, invalid("regex", ReasonCode.SYNTAX, text)),
        )
        for domain, evidence in (("regex", at), ("arith", named), ("fol", world), (text, at)):
            found.append(
                Entry(
                    text,
                    domain,
                    text,
                    (*judged, Judged("more", text, refuted(domain, text, evidence, Relation.STRONGER))),
                    statement=text,
                    context={text: text, "variables": {text: {"type": text}}, "predicates": {text: text}},
                    meanings={text: text},
                    tags=(text,),
                )
            )
    return found
