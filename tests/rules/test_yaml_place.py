"""An error in a rule file names its line and column, and the known name that is near."""

from __future__ import annotations

import pytest

from truespec.rules.language import load_rules
from truespec.verdict import SpecificationError

HEAD = "- id: a\n  text: x\n  formal:\n"
ABSENCE = f"{HEAD}    template: absence\n    a: {{call: refund}}\n"
QUOTED = '"${tol}"'
CASES = [
    (f"{HEAD}    template: absense\n    a: {{call: refund}}\n", (4, 15), "did you mean 'absence'"),
    (f"{HEAD}    template: absence\n    a: {{cal: refund}}\n", (5, 9), "did you mean 'call'"),
    (f"{HEAD}    template: absence\n    a: {{call: x, args: {{n: {{gtt: 5}}}}}}\n", (5, 29), "mean 'gt'"),
    (f"{HEAD}    template: absence\n    a: {{any: [{{call: x}}, {{cll: y}}]}}\n", (5, 27), "mean 'call'"),
    (f"{HEAD}    template: absence\n    a: {{message: usr}}\n", (5, 18), "expected one of user"),
    (f"{HEAD}    template: absence\n    a: agred\n", (5, 8), "no predicate is called 'agred'"),
    (f"{ABSENCE}    n: two\n", (6, 8), "expected a number from 0 to 50"),
    (f"{ABSENCE}    template: existence\n", (6, 5), "the key 'template' stands twice"),
    (f"{ABSENCE}  severty: high\n", (6, 3), "did you mean 'severity'"),
    (f"{ABSENCE}  severity: sever\n", (6, 13), "severity is one of"),
    (f"{ABSENCE}- id: a\n  text: y\n", (6, 7), "two rules are called 'a'"),
    (f'{HEAD}    formula: "G (a -> F b"\n    define: {{a: {{call: x}}}}\n', (4, 25), "no predicate"),
    (
        f"{HEAD}    formula: G (a -> F c)\n    define: {{a: {{call: x}}}}\n",
        (4, 24),
        "column 11 of the formula",
    ),
    (f"{HEAD}    formula: >-\n      G\n      c\n", (4, 14), "no predicate is called 'c'"),
    (f"{HEAD}    formula: a\n    define: {{a: {{cal: x}}}}\n", (5, 18), "did you mean 'call'"),
    (
        "define: {ok: {cal: x}}\nrules:\n" + f"{HEAD}    template: absence\n    a: ok\n",
        (1, 15),
        "mean 'call'",
    ),
    ("rules:\n- id: b\n  formal: {}\n", (2, 3), "'text' is missing"),
    ("\nrules: []\ndefin: {}\n", (3, 1), "did you mean 'define'"),
    (f"parameters: {{tool: x}}\nrules:\n{ABSENCE.replace('refund', QUOTED)}", (7, 15), "did you mean 'tool'"),
]


@pytest.mark.parametrize(("text", "place", "said"), CASES)
def test_an_error_stands_where_the_mistake_is(text: str, place: tuple[int, int], said: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        load_rules(text, "policy.yml")
    assert said in str(caught.value)
    assert str(caught.value).startswith("policy.yml: ")
    found = caught.value.place
    assert found is not None
    assert (found.line, found.column) == place
    assert str(caught.value).endswith(f"(at line {place[0]}, column {place[1]})")


def test_an_empty_file_is_told() -> None:
    with pytest.raises(SpecificationError, match="found nothing"):
        load_rules("", "policy.yml")
