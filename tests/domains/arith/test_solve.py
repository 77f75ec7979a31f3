"""Questions to solvers: each in a context of Z3 that nothing was built in before."""

from __future__ import annotations

from truespec.domains.arith.domain import _scope
from truespec.domains.arith.solve import Query
from truespec.domains.registry import load
from truespec.solvers.limit import Limit
from truespec.solvers.outcome import Outcome

RAW = {"variables": {"n": {"type": "int"}}, "constraints": ["n > 0"]}


def test_questions_do_not_share_what_z3_has_built() -> None:
    context = load("arith").read_context(RAW, "n")
    one, other = (Query(context, _scope(context)) for _ in range(2))
    assert one.compiler.symbols["n"].ctx != other.compiler.symbols["n"].ctx
    for query in (one, other, one):
        outcome, point = query.check([query.compiler.symbols["n"] < 2], Limit.start(20.0))
        assert (outcome, point) == (Outcome.SAT, (1,))
