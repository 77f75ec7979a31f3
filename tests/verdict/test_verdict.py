"""A verdict that contradicts itself cannot be built; its record reads back and fits the published schema."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from importlib.resources import files
from typing import Any

import jsonschema
import pytest

from truespec.verdict import (
    Answer,
    Bounded,
    Counterexample,
    OracleError,
    OutOfTime,
    Place,
    Proof,
    Reason,
    ReasonCode,
    Relation,
    SpecificationError,
    TruespecError,
    Verdict,
    equivalent,
    invalid,
    refuted,
    unknown,
)

PROOF = Proof("bisimulation", ("the derivative rules",), ("z3",), {"pairs": [["a", "b"]]})
POINT = Counterexample({"string": "ab"}, True, False, "Python re", {"note": "shortest"})

VERDICTS = [
    equivalent("regex", "derivatives", PROOF),
    refuted("regex", "derivatives", POINT, Relation.STRONGER),
    refuted("sql", "search", POINT),
    unknown("sql", ReasonCode.TIMEOUT, "no decision within 4 s", bounded=Bounded({"rows": 2})),
    unknown("arith", ReasonCode.ORACLE, "the constraints contradict each other"),
    invalid("fol", ReasonCode.SCOPE, "unknown predicate 'Lkes'"),
    replace(invalid("fol", ReasonCode.SCOPE, "unknown"), notes={"renaming": {"constants": {"bob": "anna"}}}),
]


@pytest.mark.parametrize("verdict", VERDICTS, ids=lambda v: v.answer.value)
def test_record_reads_back(verdict: Verdict) -> None:
    timed = verdict.timed(0.25)
    assert Verdict.from_json(json.loads(json.dumps(timed.to_json()))) == timed
    assert pickle.loads(pickle.dumps(timed)) == timed


@pytest.mark.parametrize(
    ("answer", "evidence", "reason", "relation", "message"),
    [
        (Answer.EQUIVALENT, None, None, None, "carries its proof"),
        (Answer.EQUIVALENT, POINT, None, None, "carries its proof"),
        (Answer.REFUTED, PROOF, None, None, "carries its counterexample"),
        (Answer.REFUTED, Bounded({"rows": 1}), None, None, "carries its counterexample"),
        (Answer.UNKNOWN, None, None, None, "states why it is undecided"),
        (Answer.UNKNOWN, None, Reason(ReasonCode.SYNTAX, "x"), None, "states why it is undecided"),
        (Answer.UNKNOWN, PROOF, Reason(ReasonCode.TIMEOUT, "x"), None, "at most a finished bound"),
        (Answer.INVALID, None, Reason(ReasonCode.TIMEOUT, "x"), None, "what is wrong with the candidate"),
        (Answer.INVALID, POINT, Reason(ReasonCode.SYNTAX, "x"), None, "carries no evidence"),
        (Answer.EQUIVALENT, PROOF, Reason(ReasonCode.TIMEOUT, "x"), None, "has no reason"),
        (Answer.EQUIVALENT, PROOF, None, Relation.WEAKER, "has no relation"),
        (Answer.REFUTED, POINT, None, Relation.WEAKER, "its own counterexample denies"),
    ],
)
def test_contradictory_verdict_is_refused(
    answer: Answer, evidence: object, reason: Reason | None, relation: Relation | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Verdict("regex", answer, "m", evidence, reason, relation)  # type: ignore[arg-type]


def test_parts_check_themselves() -> None:
    with pytest.raises(ValueError, match="states its detail"):
        Reason(ReasonCode.TIMEOUT, "")
    with pytest.raises(ValueError, match="what it trusts"):
        Proof("unsat", ())
    with pytest.raises(ValueError, match="names the semantics"):
        Counterexample({}, 1, 2, "")
    with pytest.raises(ValueError, match="shadow"):
        Counterexample({}, 1, 2, "fractions", {"oracle_value": 3})
    with pytest.raises(ValueError, match="states its bound"):
        Bounded({})


@pytest.mark.parametrize(
    "error",
    [
        OracleError("contradictory", Place(1, 3)),
        OutOfTime("no decision within 4 s"),
        SpecificationError(ReasonCode.SYNTAX, "unbalanced ')'", Place(2, 5)),
    ],
)
def test_errors_survive_a_trip_between_processes(error: TruespecError) -> None:
    read = pickle.loads(pickle.dumps(error))
    assert (type(read), str(read), read.place) == (type(error), str(error), error.place)


def test_relation_flips() -> None:
    assert [relation.flipped() for relation in Relation] == [
        Relation.WEAKER,
        Relation.STRONGER,
        Relation.INCOMPARABLE,
    ]


SCHEMA = json.loads(files("truespec.verdict").joinpath("verdict.schema.json").read_text("utf-8"))
CHECK = jsonschema.Draft202012Validator(SCHEMA)


@pytest.mark.parametrize("verdict", VERDICTS, ids=lambda v: v.answer.value)
def test_our_records_fit_the_schema(verdict: Verdict) -> None:
    CHECK.validate({"id": "t1", **verdict.to_json()})
    CHECK.validate(verdict.to_json())


def _broken() -> list[Any]:
    equivalent, refuted, _, unknown, _, invalid, _ = (verdict.to_json() for verdict in VERDICTS)
    return [
        {**equivalent, "evidence": None},
        {**equivalent, "relation": "weaker"},
        {**equivalent, "reason": unknown["reason"]},
        {**refuted, "evidence": equivalent["evidence"]},
        {**refuted, "evidence": {"counterexample": {}}},
        {**unknown, "reason": None},
        {**unknown, "reason": {"code": "syntax", "detail": "x"}},
        {**unknown, "evidence": equivalent["evidence"]},
        {**invalid, "reason": {"code": "timeout", "detail": "x"}},
        {**invalid, "reason": {"code": "syntax", "detail": ""}},
        {**invalid, "seconds": -1},
        {key: value for key, value in refuted.items() if key != "method"},
    ]


@pytest.mark.parametrize("record", _broken(), ids=range(12))
def test_what_no_verdict_may_be_is_refused_by_schema_and_class(record: dict[str, Any]) -> None:
    assert not CHECK.is_valid(record)
    with pytest.raises((ValueError, KeyError)):
        Verdict.from_json(record)
