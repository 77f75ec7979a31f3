"""A small twin: evaluates a fragment of Gallina over a few inputs, by Python; None outside the fragment.

It shares no code with the domain: Rocq's notations are turned into Python by substitution.
"""

from __future__ import annotations

import itertools
import re
from typing import Any

VALUES: dict[str, list[Any]] = {
    "Z": list(range(-3, 5)),
    "nat": list(range(5)),
    "bool": [True, False],
    "string": ["", "YES", "a"],
    "list Z": [list(word) for n in range(3) for word in itertools.product((-1, 0, 2), repeat=n)],
}


def differ(oracle: str, candidate: str, context: dict[str, Any]) -> dict[str, Any] | None:
    """A small input on which the two differ, or None."""
    arguments = [
        (name, kind.strip())
        for names, kind in re.findall(r"\(([\w ]+) : ([\w ]+)\)", context["signature"])
        for name in names.split()
    ]
    if any(kind not in VALUES for _, kind in arguments):
        return None
    left, right = (_read(text) for text in (oracle, candidate))
    if left is None or right is None:
        return None
    for values in itertools.product(*(VALUES[kind] for _, kind in arguments)):
        point = {name: value for (name, _), value in zip(arguments, values)}
        try:
            if bool(eval(left, dict(FUNCTIONS), point)) != bool(eval(right, dict(FUNCTIONS), point)):
                return point
        except Exception:  # a text outside the fragment says nothing
            return None
    return None


def _read(text: str) -> Any:
    definitions = re.findall(
        r"(Definition|Fixpoint) (\w+) ([^:=]*(?::[^:=]*)*):=(.*?)\.(?=\s|$)", text, re.DOTALL
    )
    if [kind for kind, *_ in definitions] != ["Definition"]:
        return None
    python = _translate(definitions[0][3].strip())
    try:
        return compile(python, "twin", "eval") if python is not None else None
    except SyntaxError:
        return None


def _translate(term: str) -> str | None:
    if any(word in term for word in ("match", "fun", "::", "exists", "fold", "if ")):
        return None
    for name in ("String", "Z", "List"):
        term = re.sub(rf"\b{name}\.", "", term)
    term = re.sub(r"forall x, In x l -> (.*?)(\)|$)", r"all((\1) for x in l)\2", term)
    term = re.sub(r"\bIn (\w+) l\b", r"(\1 in l)", term)
    term = re.sub(r"\(([0-9]+) \| (\w+)\)", r"(\2 % \1 == 0)", term)
    term = re.sub(r"\b(Even) (\w+)", r"(\2 % 2 == 0)", term)
    term = re.sub(r"\b(abs) (\w+)", r"abs(\2)", term)
    term = re.sub(r"\beqb (\w+) (\"[^\"]*\")", r"eqb(\1, \2)", term)
    term = re.sub(r"\borb (\([^)]*\)(?:\))?) (\(.*\))", r"(\1 or \2)", term)
    term = re.sub(r"\bnegb (\([^)]*\))", r"(not \1)", term)
    term = term.replace("mod", "%").replace("=?", "==").replace("<?", "<").replace("<=?", "<=")
    if "<->" in term:
        left, right = term.split("<->")
        return f"(({_connect(left)}) == ({_connect(right)}))"
    if "->" in term:
        left, right = term.rsplit("->", 1)
        return f"((not ({_connect(left)})) or ({_connect(right)}))"
    return _connect(term)


def _connect(term: str) -> str:
    term = re.sub(r"(?<![<>=!])=(?!=)", "==", term.replace("/\\", " and ").replace("\\/", " or "))
    return term.replace("true", "True").replace("false", "False").strip()


FUNCTIONS = {"eqb": lambda a, b: a == b}
