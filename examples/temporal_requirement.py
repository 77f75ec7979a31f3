"""A requirement in temporal logic, on infinite words: the counterexample is a stem and a loop.

Prints:
    refuted
    stem [], loop [['request']]
"""

import truespec
from truespec.verdict import Counterexample

verdict = truespec.verify(
    "temporal",
    oracle="G (request -> F grant)",
    candidate="G (request -> F (grant | request))",
    context={"logic": "ltl"},
)
print(verdict.answer.value)
assert isinstance(verdict.evidence, Counterexample)
print(f"stem {verdict.evidence.point['stem']}, loop {verdict.evidence.point['loop']}")
