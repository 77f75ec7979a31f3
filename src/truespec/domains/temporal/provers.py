"""Second provers: MONA for finite traces, past included; lbt for infinite words without past.

Each gets the formulas by a translation of its own, from the definitions of the operators, and shares nothing
with our automata. MONA decides the monadic second-order logic of strings. lbt translates a formula into a
generalised Büchi automaton; whether that has a word is decided here, by strongly connected components.
"""

from __future__ import annotations

import shutil
import subprocess

from truespec.domains.contract import Recheck, RecheckStatus
from truespec.solvers.limit import Limit
from truespec.temporal.syntax import PAST, Formula, atoms, conjunction, negation, parts

INSTALL = "apt-get install mona lbt"


def lbt_version() -> str | None:
    """What there is to say of lbt, which prints no version; None where it is not installed."""
    return "installed" if shutil.which("lbt") else None


def confirm(left: Formula, right: Formula, scope: Formula, finite: bool, limit: Limit) -> Recheck:
    """Ask the second prover of the logic whether the two are equal on the words of `scope`."""
    if not finite and any(one.op in PAST for formula in (left, right, scope) for one in parts(formula)):
        return Recheck(RecheckStatus.NO_CERTIFICATE, "lbt", "lbt knows no past, and there is no certificate")
    tool = "mona" if finite else "lbt"
    if shutil.which(tool) is None:
        return Recheck(RecheckStatus.UNDECIDED, tool, f"{tool} is not installed: {INSTALL}")
    try:
        equal = mona_equal(left, right, scope, limit) if finite else lbt_equal(left, right, scope, limit)
    except subprocess.TimeoutExpired:
        return Recheck(RecheckStatus.UNDECIDED, tool, f"{tool} reached the limit")
    except ProverError as error:
        return Recheck(RecheckStatus.UNDECIDED, tool, str(error))
    status = RecheckStatus.CONFIRMED if equal else RecheckStatus.FAILED
    return Recheck(status, tool, "" if equal else f"{tool} tells the two apart")


class ProverError(RuntimeError):
    """A prover gave no answer."""


def _run(command: list[str], text: str, limit: Limit) -> str:
    done = subprocess.run(
        command, input=text, capture_output=True, text=True, timeout=limit.remaining(), check=False
    )
    if done.returncode != 0 or not done.stdout.strip():
        raise ProverError(f"{command[0]} ended with {done.returncode}: {done.stderr.strip()[:200]}")
    return done.stdout


def mona_equal(left: Formula, right: Formula, scope: Formula, limit: Limit) -> bool:
    """Whether MONA finds the formulas equal on finite non-empty traces in scope."""
    answer = _run(["mona", "-q", "/dev/stdin"], mona_problem(left, right, scope), limit)
    if "Formula is valid" in answer:
        return True
    if "counter-example" in answer or "unsatisfiable" in answer:
        return False
    raise ProverError(f"mona said {answer.strip()[:200]!r}")


def mona_problem(left: Formula, right: Formula, scope: Formula) -> str:
    """The claim that the two agree, as a formula over strings: an atom is the set of its positions."""
    names = sorted({name for one in (left, right, scope) for name in atoms(one)})
    sets = {name: f"A{number}" for number, name in enumerate(names)}
    writer = _Mona(sets)
    sides = [writer.at(one, "0") for one in (scope, left, right)]
    declared = f"var2 {', '.join(sets.values())};\n" if sets else ""
    claim = f"({sides[0]}) => (({sides[1]}) <=> ({sides[2]}))"
    return f"m2l-str;\n{declared}(ex1 p: p = 0) => ({claim});\n"


class _Mona:
    def __init__(self, sets: dict[str, str]) -> None:
        self.sets = sets
        self.count = 0

    def _fresh(self) -> str:
        self.count += 1
        return f"q{self.count}"

    def at(self, formula: Formula, p: str) -> str:
        """The formula holds at position p."""
        op, items = formula.op, formula.items
        if op == "atom":
            return f"{p} in {self.sets[formula.name]}"
        if op in ("true", "false"):
            return op
        if op == "!":
            return f"~({self.at(items[0], p)})"
        if op in ("&", "|", "->", "<->", "xor"):
            sign = {"->": "=>", "<->": "<=>", "xor": "<=>"}.get(op, op)
            text = f" {sign} ".join(f"({self.at(item, p)})" for item in items)
            return f"~({text})" if op == "xor" else text
        q = self._fresh()
        inner = self.at(items[-1], q)
        if op in ("X", "N", "Y", "Z"):
            # The guard keeps MONA's p + 1 from standing for p at the end of the string.
            beside = f"{p} < {q} & {q} = {p} + 1" if op in ("X", "N") else f"{q} < {p} & {p} = {q} + 1"
            return f"ex1 {q}: {beside} & ({inner})" if op in "XY" else f"all1 {q}: ({beside}) => ({inner})"
        reached = f"{p} <= {q}" if op in "FGURWM" else f"{q} <= {p}"
        if op in "FO":
            return f"ex1 {q}: {reached} & ({inner})"
        if op in "GH":
            return f"all1 {q}: ({reached}) => ({inner})"
        return self._binary(formula, p, q, reached)

    def _binary(self, formula: Formula, p: str, q: str, reached: str) -> str:
        op, (a, b) = formula.op, formula.items
        r = self._fresh()
        future = op in "URWM"
        before = f"{p} <= {r} & {r} < {q}" if future else f"{q} < {r} & {r} <= {p}"
        if op in "US":
            return f"ex1 {q}: {reached} & ({self.at(b, q)}) & (all1 {r}: ({before}) => ({self.at(a, r)}))"
        if op in "RT":
            return f"all1 {q}: ({reached}) => (({self.at(b, q)}) | (ex1 {r}: {before} & ({self.at(a, r)})))"
        if op == "M":
            up_to = f"{p} <= {r} & {r} <= {q}"
            return f"ex1 {q}: {reached} & ({self.at(a, q)}) & (all1 {r}: ({up_to}) => ({self.at(b, r)}))"
        always = self.at(Formula("G" if op == "W" else "H", (a,)), p)
        strong = self.at(Formula("U" if op == "W" else "S", (a, b)), p)
        return f"({always}) | ({strong})"


def lbt_equal(left: Formula, right: Formula, scope: Formula, limit: Limit) -> bool:
    """Whether lbt's automata of both differences have no word."""
    names = sorted({name for one in (left, right, scope) for name in atoms(one)})
    # lbt reads only atoms named p0, p1, ...; others yield no output at all.
    spelt = {name: f"p{number}" for number, name in enumerate(names)}
    for holds, fails in ((left, right), (right, left)):
        both = conjunction([scope, holds, negation(fails)])
        if _has_word(_run(["lbt"], _lbt(both, spelt) + "\n", limit)):
            return False
    return True


def _lbt(formula: Formula, spelt: dict[str, str]) -> str:
    op, items = formula.op, formula.items
    if op == "atom":
        return spelt[formula.name]
    if op in ("true", "false"):
        return op[0]
    below = [_lbt(item, spelt) for item in items]
    if op in ("&", "|"):
        return " ".join([op] * (len(below) - 1) + below)
    if op == "W":  # b V (a | b)
        return f"V {below[1]} | {below[0]} {below[1]}"
    if op == "M":  # b U (a & b)
        return f"U {below[1]} & {below[0]} {below[1]}"
    named = {"->": "i", "<->": "e", "xor": "^", "R": "V"}.get(op, op)
    return " ".join([named, *below])


def _has_word(text: str) -> bool:
    """Whether the generalised Büchi automaton that lbt printed accepts a word."""
    words = iter(text.split())
    states, sets = int(next(words)), int(next(words))
    initial: list[str] = []
    accepts: dict[str, set[str]] = {}
    steps: dict[str, list[str]] = {}
    for _ in range(states):
        name = next(words)
        if next(words) != "0":
            initial.append(name)
        accepts[name] = set(iter(lambda: next(words), "-1"))
        steps[name] = []
        while (target := next(words)) != "-1":
            if _satisfiable(words):
                steps[name].append(target)
    reached = set(initial)
    order = list(initial)
    for state in order:
        for target in steps[state]:
            if target not in reached:
                reached.add(target)
                order.append(target)
    return any(
        len(set().union(*(accepts[state] for state in part))) == sets for part in _components(order, steps)
    )


def _satisfiable(words: object) -> bool:
    """Reads the guard of a transition, a conjunction of literals; whether they agree."""
    literals: set[str] = set()
    needed = 1
    sign = ""
    while needed:
        word = next(words)  # type: ignore[call-overload]
        if word == "&":
            needed += 1
        elif word == "!":
            sign = "!"
        elif word == "f":
            literals |= {"f", "!f"}
            needed -= 1
        elif word == "t" or word.startswith("p"):
            if word != "t":
                literals.add(sign + word)
            sign, needed = "", needed - 1
        else:
            raise ProverError(f"lbt wrote {word!r} in a guard")
    return not any("!" + literal in literals for literal in literals)


def _components(order: list[str], steps: dict[str, list[str]]) -> list[list[str]]:
    """The strongly connected components that have a step inside, by Kosaraju's algorithm."""
    finished: list[str] = []
    seen: set[str] = set()
    for root in order:
        stack = [(root, iter(steps[root]))] if root not in seen else []
        seen.add(root)
        while stack:
            state, targets = stack[-1]
            target = next((one for one in targets if one not in seen), None)
            if target is None:
                finished.append(stack.pop()[0])
            else:
                seen.add(target)
                stack.append((target, iter(steps[target])))
    back: dict[str, list[str]] = {state: [] for state in order}
    for state in order:
        for target in steps[state]:
            back[target].append(state)
    found: list[list[str]] = []
    placed: set[str] = set()
    for root in reversed(finished):
        if root in placed:
            continue
        part = [root]
        placed.add(root)
        for state in part:
            for source in back[state]:
                if source not in placed:
                    placed.add(source)
                    part.append(source)
        if len(part) > 1 or root in steps[root]:
            found.append(part)
    return found
