"""Variants of the bundled tasks: what is put in goes everywhere; every answer keeps what it deserves."""

from __future__ import annotations

import json
from importlib.resources import files

import jsonschema
import pytest

from truespec.benchmark import bundled
from truespec.benchmark.bundled import BundledTask
from truespec.benchmark.bundled.variants import EACH, Template, derive, drawn, templates
from truespec.benchmark.likeness import THRESHOLD, compare
from truespec.benchmark.select import bundled_tasks, named_tasks
from truespec.domains.verify import Pair, verify_pair
from truespec.executors.certify import certify

NAMES = [name for name in bundled.domains() if templates(name)]
QUICK = ("arith", "fol", "regex")
"""Domains whose variants are all verified here."""
TEMPLATES = [one for name in NAMES for one in templates(name)]
CHECKED = [one for name in QUICK for one in templates(name)]
"""The templates all of whose variants are verified here."""


def of_template(value: Template) -> str:
    return value.parent.task.id


def texts(one: BundledTask) -> list[str]:
    context = json.dumps(one.task.context, ensure_ascii=False)
    answers = [text for answer in one.answers for text in (answer.text, answer.note)]
    return [one.task.statement, context, one.task.oracle, *one.meanings.values(), *answers]


def unexpected(tasks: list[BundledTask]) -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = []
    for one in tasks:
        for answer in one.answers:
            pair = Pair(one.task.domain, one.task.oracle, answer.text, one.task.context)
            # A proof that takes seconds here takes minutes on a slow machine; the limit costs nothing else.
            verdict = verify_pair(pair, 20.0 if one.task.domain in QUICK else 600.0)
            if verdict.answer is not answer.expected:
                found.append((answer.id, verdict))
    return found


def test_the_whole_set_is_large_enough() -> None:
    """Individually written tasks of all domains, and variants beyond them."""
    own = sum(len(bundled.tasks(name)) for name in bundled.domains())
    every = sum(len(bundled.tasks(name, variants=True)) for name in bundled.domains())
    assert own >= 520
    assert every >= 940
    assert len(drawn("sql", 1)) >= 60
    assert len(drawn("rocq", 1)) >= 30


@pytest.mark.parametrize("template", TEMPLATES, ids=of_template)
def test_each_text_of_a_template_is_found_in_its_task(template: Template) -> None:
    everything = " ".join(texts(template.parent)).lower()
    for column in template.columns:
        for row in column:
            assert all(key.lower() in everything for key in row), row
    assert len(template.rows()) >= EACH


@pytest.mark.parametrize("template", TEMPLATES, ids=of_template)
def test_no_two_variants_of_a_template_are_the_same(template: Template) -> None:
    variants = [derive(template.parent, row, 1) for row in template.rows()]
    seen = {(one.task.statement, one.task.oracle) for one in (template.parent, *variants)}
    assert len(seen) == len(variants) + 1


@pytest.mark.parametrize("name", NAMES)
def test_variants_depend_on_the_seed_alone(name: str) -> None:
    first, again, other = drawn(name, 7), drawn(name, 7), drawn(name, 8)
    assert [texts(one) for one in first] == [texts(one) for one in again]
    assert [texts(one) for one in first] != [texts(one) for one in other]
    ids = [one.task.id for one in bundled.tasks(name, variants=True, seed=7)]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("name", NAMES)
def test_variants_of_different_tasks_are_no_near_duplicates(name: str) -> None:
    every = [one.task for one in bundled.tasks(name, variants=True)]
    parents = {task.id: task.extra.get("variant_of", task.id) for task in every}
    alike = [pair for pair in compare(every) if pair.likeness >= THRESHOLD]
    assert not [pair for pair in alike if parents[pair.one] != parents[pair.two]]


def test_statement_and_oracle_change_together() -> None:
    (parent,) = (one for one in bundled.tasks("arith") if one.task.id == "arith-bakery-leftovers")
    row = {"12": "10", "rolls": "cups", "bakery": "pottery"}
    variant = derive(parent, row, 3)
    assert variant.task.id == "arith-bakery-leftovers-v3"
    assert variant.task.oracle == "n % 10"
    assert "A pottery bakes n cups and packs them into boxes of exactly 10." in variant.task.statement
    assert variant.answers[0].text == "n - 10 * (n // 10)"
    assert variant.meanings == {"n": "cups baked, in cups"}
    assert variant.task.extra["variant_of"] == "arith-bakery-leftovers"
    assert not variant.in_demo


@pytest.mark.usefixtures("no_relations")
@pytest.mark.parametrize("name", NAMES)
def test_answers_to_variants_deserve_what_those_to_the_parent_do(name: str) -> None:
    some = drawn(name, 0)
    assert not unexpected(some if name in QUICK else some[9::30])


def test_variants_pass_the_certificate_of_their_parents() -> None:
    some = [one for name in QUICK for one in drawn(name, 5)[::25]]
    for made in certify(some, timeout=20.0, jobs=1):
        assert not made.gaps(), made
        assert not made.contradictions(), made


@pytest.mark.slow
@pytest.mark.usefixtures("no_relations")
@pytest.mark.parametrize("template", CHECKED, ids=of_template)
def test_every_variant_that_can_be_drawn_is_right(template: Template) -> None:
    assert not unexpected([derive(template.parent, row, 1) for row in template.rows()])


def test_names_behind_a_dot_change_and_decimals_do_not() -> None:
    (parent,) = (one for one in bundled.tasks("sql") if one.task.id == "sql-bikes-dearest")
    assert "c.weight > b.weight" in derive(parent, {"price": "weight"}, 1).answers[0].text
    (parent,) = (one for one in bundled.tasks("arith") if one.task.id == "arith-hire-car")
    assert "0.2 *" in derive(parent, {"2": "7", "20": "8"}, 1).task.oracle


def test_a_planted_mistake_is_found() -> None:
    template = next(one for one in TEMPLATES if one.parent.task.id == "arith-hire-car")
    assert unexpected([derive(template.parent, {"200": "250"}, 1)]), "10 depends on 200"


def test_a_run_names_the_variants() -> None:
    alone, every = named_tasks("bundled", ["fol"]), named_tasks("bundled+variants", ["fol"])
    assert alone == bundled_tasks(["fol"])
    assert every is not None
    assert len(every) == len(bundled.tasks("fol", variants=True)) > len(alone)
    assert named_tasks("bundled+variants:3", ["fol"]) != every
    assert named_tasks("bundled.jsonl") is None
    schema = json.loads(files("truespec.benchmark").joinpath("task.schema.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    for task in every:
        validator.validate(task.to_json())
