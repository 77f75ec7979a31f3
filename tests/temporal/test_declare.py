"""Each Declare template against a formula of its own over the past, and each against the others."""

from __future__ import annotations

import pytest

from truespec.domains.verify import Pair, verify_pair
from truespec.temporal.declare import BY_NAME, TEMPLATES, expand
from truespec.temporal.syntax import write
from truespec.verdict import Answer

SAME = {
    "Existence": "!G !a",
    "Absence": "G !a",
    "Exactly": "F a & G (a -> Z H !a)",
    "Init": "F (a & !Y true)",
    "End": "G F a",
    "Choice": "F (a | b)",
    "Exclusive Choice": "F a & G !b | F b & G !a",
    "Responded Existence": "G (a -> F b | O b)",
    "Co-Existence": "G ((a -> F b | O b) & (b -> F a | O a))",
    "Response": "!F (a & G !b)",
    "Alternate Response": "G (a -> F b) & G (a -> Z (!a B b))",
    "Chain Response": "G (Y a -> b) & !(F (a & N false))",
    "Precedence": "G (b -> O a)",
    "Alternate Precedence": "G (b -> Y (!b S a))",
    "Chain Precedence": "G (b -> Y a)",
    "Succession": "G (a -> F b) & G (b -> O a)",
    "Alternate Succession": "G (a -> X (!a U b)) & G (b -> Y (!b S a))",
    "Chain Succession": "G (a -> X b) & G (b -> Y a)",
    "Not Co-Existence": "G (a -> H !b & G !b)",
    "Not Succession": "G (b -> H !a)",
    "Not Chain Succession": "G (b -> Z !a)",
}


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.name)
def test_a_template_means_what_its_past_form_means(template) -> None:  # type: ignore[no-untyped-def]
    context = {"atoms": ["a", "b"], "exclusive": [["a", "b"]]}
    oracle = write(expand(template, "a", "b"))
    verdict = verify_pair(Pair("temporal", oracle, SAME[template.name], context), 10.0)
    assert verdict.answer is Answer.EQUIVALENT, verdict
    for name, other in SAME.items():
        if name != template.name:
            verdict = verify_pair(Pair("temporal", oracle, other, context), 10.0)
            assert verdict.answer is Answer.REFUTED, name


def test_numbers_count_occurrences() -> None:
    assert write(expand(BY_NAME["Existence"], "a", n=3)) == "F (a & X F (a & X F a))"
    twice = write(expand(BY_NAME["Exactly"], "a", n=2))
    verdict = verify_pair(Pair("temporal", twice, "F (a & X F a) & !F (a & X F (a & X F a))"), 10.0)
    assert verdict.answer is Answer.EQUIVALENT
