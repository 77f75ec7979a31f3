"""A second reading of a pair in one world takes no answer of the first for its own."""

from __future__ import annotations

import z3

from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.schema import read_schema
from truespec.solvers.limit import Limit


def test_what_was_proved_of_an_aggregate_is_forgotten() -> None:
    schema = read_schema("CREATE TABLE t (a INT)", "sqlite")
    world = World(schema, Settings(), Limit.start(60.0))
    count = z3.Int("agg!0")
    world.extra_axioms = lambda names: [count >= 0] if "agg!0" in names else []
    assert world.holds(z3.BoolVal(True), count >= 0)
    world.extra_axioms = lambda names: []
    world.read_anew()
    assert not world.holds(z3.BoolVal(True), count >= 0)
