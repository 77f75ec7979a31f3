"""The boundary to cvc5: SMT-LIB text in, one of three outcomes out, never an exception of cvc5's."""

from __future__ import annotations

import importlib.util
from typing import Any

from truespec.solvers.limit import Limit
from truespec.solvers.outcome import Outcome
from truespec.verdict import ToolMissing

HOW_TO_GET = "pip install cvc5"
"""The command that installs it."""


def available() -> bool:
    """Whether cvc5 is installed."""
    return importlib.util.find_spec("cvc5") is not None


def check(text: str, limit: Limit, **options: str) -> Outcome:
    """Run the assertions of an SMT-LIB text; `ToolMissing` without cvc5, `UNKNOWN` for any other end.

    `text` may hold `set-logic`, declarations, definitions and assertions; the check is made here. Without a
    logic, all of cvc5's theories are on.
    """
    solver = _solver(limit, options)
    import cvc5

    try:
        parser = cvc5.InputParser(solver)
        if "(set-logic" not in text:
            solver.setLogic("ALL")
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "truespec")
        symbols = parser.getSymbolManager()
        while True:
            command = parser.nextCommand()
            if command.isNull():
                break
            if str(command) == "(check-sat)":
                continue
            failure = command.invoke(solver, symbols)
            if "error" in str(failure):
                return Outcome.UNKNOWN
        result = solver.checkSat()
    except RuntimeError:
        return Outcome.UNKNOWN
    if result.isSat():
        return Outcome.SAT
    return Outcome.UNSAT if result.isUnsat() else Outcome.UNKNOWN


def version() -> str:
    """cvc5's version, as proofs and reports name it."""
    _require()
    import cvc5

    return f"cvc5 {cvc5.__version__}"


def _require() -> None:
    if not available():
        raise ToolMissing(f"cvc5 is not installed: {HOW_TO_GET}")


def _solver(limit: Limit, options: dict[str, str]) -> Any:
    _require()
    import cvc5

    solver = cvc5.Solver()
    for option, value in {"tlimit-per": str(max(1, int(limit.remaining() * 1000))), **options}.items():
        solver.setOption(option, value)
    return solver
