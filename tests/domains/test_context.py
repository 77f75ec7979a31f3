"""Contexts are checked against their declarations: a mistake of the caller is never ignored."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import truespec
from cases import all_cases
from truespec.benchmark.select import bundled_tasks
from truespec.cli.main import truespec as command
from truespec.domains.context import check_context, context_schema, without_nulls
from truespec.domains.registry import DOMAINS
from truespec.domains.verify import Pair, verify_pair
from truespec.store.schemas import names, schema_of
from truespec.verdict import ContextError

MISTAKES: list[tuple[str, dict[str, Any], str]] = [
    ("arith", {"constrants": ["a > 0"]}, "'constraints'"),
    ("arith", {"variables": {"a": {"typ": "int"}}}, "'type'"),
    ("arith", {"variables": {"a": {"type": "integer"}}}, "int, real"),
    ("arith", {"variables": ["a"]}, "expected an object"),
    ("arith", {"constraints": "a > 0"}, "expected a list"),
    ("regex", {"flgas": "i"}, "'flags'"),
    ("regex", {"dialekt": "python"}, "'dialect'"),
    ("regex", {"flags": ["i"]}, "expected a text"),
    ("regex", {"match": "ful"}, "'full'"),
    ("rocq", {"signature": "(x : Z) : Prop", "limts": 3}, "the fields are signature"),
    ("rocq", {}, "'signature' is missing"),
    ("sql", {"shema": "CREATE TABLE t (a INT)"}, "'schema'"),
    ("sql", {"settings": {"sqlmode": ""}}, "'sql_mode'"),
    ("sql", {"dialect": "postgresql"}, "'postgres'"),
    ("fol", {"predicate": {"P": 1}}, "'predicates'"),
    ("fol", {"predicates": {"P": "1"}}, "expected a whole number"),
    ("fol", {"predicates": {"P": True}}, "expected a whole number"),
    ("temporal", {"logik": "ltl"}, "'logic'"),
    ("temporal", {"logic": "LTL"}, "did you mean 'ltl'"),
    ("sql", {"order": "BAG"}, "did you mean 'bag'"),
    ("regex", {"FLAGS": "i"}, "did you mean 'flags'"),
    ("temporal", {"exclusive": ["a", "b"]}, "expected a list"),
]


@pytest.mark.parametrize(("domain", "context", "said"), MISTAKES)
def test_a_mistake_is_named_with_what_was_meant(domain: str, context: dict[str, Any], said: str) -> None:
    with pytest.raises(ContextError) as caught:
        check_context(domain, context)
    assert said in str(caught.value)
    verdict = verify_pair(Pair(domain, "a", "a", context), 1.0)
    assert (verdict.answer.value, verdict.reason and verdict.reason.code.value) == ("unknown", "context")
    assert verdict.reason is not None
    assert said in verdict.reason.detail


IDLE: list[tuple[str, dict[str, Any], str]] = [
    ("regex", {"boundary": "literal"}, "of the deepregex dialect"),
    ("regex", {"dialect": "deepregex", "flags": "i"}, "has no flags"),
    ("sql", {"dialect": "sqlite", "settings": {"sql_mode": "ONLY_FULL_GROUP_BY"}}, "the dialect is sqlite"),
]


@pytest.mark.parametrize(("domain", "context", "said"), IDLE)
def test_a_field_that_has_no_effect_is_refused(domain: str, context: dict[str, Any], said: str) -> None:
    text = "SELECT 1" if domain == "sql" else "a"
    verdict = verify_pair(Pair(domain, text, text, context), 60.0)
    assert verdict.reason is not None
    assert verdict.reason.code.value == "oracle"
    assert said in verdict.reason.detail


def test_a_null_counts_as_absent_at_every_depth() -> None:
    context = {"variables": {"a": {"type": "int", "unit": None}, "b": None}, "constraints": None}
    verdict = truespec.verify("arith", oracle="abs(a)", candidate="a", context=context)
    assert verdict.answer.value == "refuted"
    with pytest.raises(truespec.OracleError, match="'b'"):
        truespec.verify("arith", oracle="b", candidate="b", context=context)


def test_in_python_it_is_an_error_of_its_own() -> None:
    with pytest.raises(truespec.ContextError, match="did you mean 'constraints'"):
        truespec.verify("arith", oracle="abs(a)", candidate="a", context={"constrants": ["a > 0"]})


def test_on_the_command_line_it_exits_with_2(tmp_path: Path) -> None:
    file = tmp_path / "context.json"
    file.write_text(json.dumps({"flgas": "i"}))
    call = [sys.executable, "-m", "truespec", "verify", "regex", "a", "A", "--context", str(file)]
    result = subprocess.run(call, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "did you mean 'flags'" in result.stderr


def test_every_context_in_use_follows_its_declaration() -> None:
    used = [(case.domain, case.context) for case in all_cases() if case.reason != "context"]
    used += [(task.domain, dict(task.context)) for task in bundled_tasks()]
    validators = {domain: jsonschema.Draft202012Validator(context_schema(domain)) for domain in DOMAINS}
    for validator in validators.values():
        validator.check_schema(validator.schema)
    for domain, context in used:
        check_context(domain, context)
        validators[domain].validate(context)


@pytest.mark.parametrize("name", names())
def test_each_schema_is_one_and_is_printed(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schema_of(name))
    result = CliRunner().invoke(command, ["schema", name])
    assert json.loads(result.output) == schema_of(name)


def test_the_schema_of_a_pair_checks_its_context() -> None:
    schema = schema_of("pair")
    pair = {"id": "1", "domain": "regex", "oracle": "a", "candidate": "a", "context": {"flags": "i"}}
    jsonschema.validate(pair, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**pair, "context": {"flgas": "i"}}, schema)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["int", "python", "x", "search"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["type", "a", "sql_mode"]), inner, max_size=2)
    ),
    max_leaves=5,
)


@pytest.mark.parametrize("domain", DOMAINS)
def test_our_check_agrees_with_a_validator_of_json_schema(domain: str) -> None:
    fields = [*context_schema(domain)["properties"], "other"]

    @given(st.dictionaries(st.sampled_from(fields), JSON, max_size=3))
    def agree(context: dict[str, Any]) -> None:
        valid = jsonschema.Draft202012Validator(context_schema(domain)).is_valid(without_nulls(context))
        try:
            check_context(domain, context)
        except ContextError:
            assert not valid
        else:
            assert valid

    agree()
