"""The learned order of the prover's strategies."""

from __future__ import annotations

import json

from truespec.domains.rocq.context import read_context
from truespec.domains.rocq.ordering import AT_ONCE, COUNTS, FEATURES, features, ordered
from truespec.domains.rocq.pair import Layout
from truespec.domains.rocq.prover import PATIENCE, share
from truespec.domains.rocq.screen import screen
from truespec.domains.rocq.strategies import STRATEGIES


def layout(signature: str, oracle: str, candidate: str) -> Layout:
    texts = [screen(f"Definition spec {signature} := {body}.") for body in (oracle, candidate)]
    return Layout(read_context({"signature": signature}), *texts)


def test_features_are_read_off_both_texts_and_the_signature() -> None:
    pair = layout("(l : list (option nat)) : Prop", "exists i, nth i l None = None", "In None l")
    assert features(pair) == {
        "any", "described", "exists", "index", "membership", "type list", "type nat", "type option"
    }  # fmt: skip


def test_a_description_beside_a_recursive_function_over_lists_is_seen() -> None:
    described = layout("(l : list Z) : Prop", "exists i, nth_error l i = Some 0", "In 0 l")
    assert "described" in features(described)
    assert "by_stepwise" in [one.name for one in ordered(STRATEGIES, described)][:20]
    assert "described" not in features(layout("(l : list Z) : Prop", "In 0 l", "l <> []"))
    assert "described" not in features(layout("(x : Z) : Prop", "exists y, y = x", "x = 0"))


def test_every_strategy_is_tried_once_whatever_was_learned() -> None:
    for pair in (layout("(x : Z) : Prop", "x = 0", "0 = x"), layout("(s : string) : bool", "true", "true")):
        assert sorted(one.name for one in ordered(STRATEGIES, pair)) == sorted(one.name for one in STRATEGIES)


def test_cheap_strategies_come_before_costly_ones_that_prove_as_much() -> None:
    names = [one.name for one in ordered(STRATEGIES, layout("(x : Z) : Prop", "x = 0", "0 = x"))]
    assert names.index("by_computation") < names.index("by_search")


def test_strategies_for_lists_come_last_where_there_are_none() -> None:
    names = [one.name for one in ordered(STRATEGIES, layout("(x : Z) : Prop", "(x | 12)", "x mod 12 = 0"))]
    assert max(map(names.index, ("by_search", "by_ground", "by_bounds"))) < names.index("by_heads")
    names = [one.name for one in ordered(STRATEGIES, layout("(l : list Z) : Prop", "l = []", "[] = l"))]
    assert names.index("by_heads") < names.index("by_bounds")


def test_strategies_are_for_known_features() -> None:
    assert {feature for one in STRATEGIES for feature in (*one.use, *one.made_for)} <= FEATURES
    assert len({one.name for one in STRATEGIES}) == len(STRATEGIES)


def test_each_strategy_has_a_glance_first_then_its_time() -> None:
    shares = [share(STRATEGIES[0], turn) for turn in range(3)]
    assert shares[0] == STRATEGIES[0].glance
    assert shares[1:] == [STRATEGIES[0].seconds, STRATEGIES[0].seconds * PATIENCE]


def test_the_counts_name_known_strategies_and_no_more_proofs_than_pairs() -> None:
    read = json.loads(COUNTS.read_text(encoding="utf-8"))
    known = {one.name for one in STRATEGIES}
    assert set(read["seconds"]) <= known
    for seen in read["features"].values():
        assert set(seen["proved"]) <= known
        assert all(0 < count <= seen["pairs"] for count in seen["proved"].values())


def test_strategies_that_are_made_for_a_type_come_first() -> None:
    names = [one.name for one in ordered(STRATEGIES, layout("(a b r : string) : Prop", "r = a", "r = b"))]
    assert names[:3] == [*AT_ONCE, "by_texts"]
    names = [
        one.name
        for one in ordered(STRATEGIES, layout("(c : ascii) (r : bool) : Prop", "r = true", "true = r"))
    ]
    assert names[2] == "by_letters"
