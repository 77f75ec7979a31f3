"""Wrong steps planted in proofs by parts: execution on random databases finds each of them out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from power.sql_slips import wrongly_proved
from truespec.domains.sql.prove import part_facts, parts
from truespec.domains.sql.prove.part_columns import Way
from truespec.domains.sql.prove.parts import prove_by_parts

SCHEMA = (
    "CREATE TABLE dept (id INT PRIMARY KEY, dname TEXT NOT NULL); "
    "CREATE TABLE emp (id INT PRIMARY KEY, dept INT, sal INT NOT NULL, code INT)"
)
SECONDS = 60.0
"""Far more than any of these takes."""


def _pair(
    one: str, rest: str, other: str | None = None, last: str | None = None
) -> tuple[str, str, str, str]:
    left, right = f"WITH m AS ({one}) {rest}", f"WITH m AS ({other or one}) {last or rest}"
    return "sqlite", SCHEMA, left, right


Plant = Callable[[pytest.MonkeyPatch], None]


def any_columns_are_a_key(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(part_facts, "_tells", lambda world, terms, places: True)


def no_column_is_null(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(part_facts, "_never_null", lambda world, terms, place: True)


def all_numbers_are_positive(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(part_facts, "_at_least", lambda world, term, value, least: True)


def all_values_are_keys_of_any_table(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(part_facts, "_refers", lambda world, term, value, table, key: True)


def all_parts_are_the_same(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(parts, "same_bags", lambda prover, wide, narrow, way: True)


def kinds_do_not_count(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Way, "fits", lambda self, wide, narrow: True)
    patch.setattr(parts, "ways", lambda one, other, wide=None: [Way(0, (0, 1))])
    patch.setattr(parts, "_embeds", lambda few, many: True)


BY_DEPT = "SELECT dept, COUNT(code) AS n, SUM(code) AS s FROM emp GROUP BY dept"
PLANTS: dict[Plant, tuple[str, str, str, str]] = {
    any_columns_are_a_key: _pair(
        "SELECT dept, code FROM emp", "SELECT dept FROM m", last="SELECT DISTINCT dept FROM m"
    ),
    no_column_is_null: _pair(BY_DEPT, "SELECT n FROM m", last="SELECT n FROM m WHERE dept IS NOT NULL"),
    all_numbers_are_positive: _pair(BY_DEPT, "SELECT n FROM m", last="SELECT n FROM m WHERE n > 0"),
    all_values_are_keys_of_any_table: _pair(
        "SELECT DISTINCT dept FROM emp WHERE dept > 0",
        "SELECT dept FROM m",
        last="SELECT m.dept FROM m JOIN dept d ON d.id = m.dept",
    ),
    all_parts_are_the_same: _pair(
        BY_DEPT, "SELECT dept, n FROM m", BY_DEPT.replace("COUNT(code)", "COUNT(*)")
    ),
    kinds_do_not_count: _pair(
        "SELECT id, sal AS v FROM emp", "SELECT id, v / 2 FROM m", "SELECT id, sal * 1.0 AS v FROM emp"
    ),
}


def test_nothing_proved_by_parts_differs() -> None:
    assert list(wrongly_proved(list(PLANTS.values()), SECONDS, prove_by_parts)) == []


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: str(plant.__name__))
def test_a_planted_wrong_step_is_found_out(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    assert next(wrongly_proved([PLANTS[plant]], SECONDS, prove_by_parts), None) is not None
