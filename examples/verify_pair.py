"""One pair: the answer, the relation, and the input on which the two differ.

Prints:
    refuted, weaker than the oracle
    the candidate alone matches '٠'
    equivalent in ASCII
"""

import truespec
from truespec.verdict import Counterexample

verdict = truespec.verify("regex", oracle="[0-9]+", candidate=r"\d+")
assert isinstance(verdict.evidence, Counterexample)
assert verdict.relation is not None
print(f"{verdict.answer.value}, {verdict.relation.value} than the oracle")
print(f"the candidate alone matches {verdict.evidence.point['string']!r}")

verdict = truespec.verify("regex", oracle="[0-9]+", candidate=r"\d+", context={"alphabet": "ascii"})
print(f"{verdict.answer.value} in ASCII")
