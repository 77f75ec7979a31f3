"""The paper's nine models by short names."""

from __future__ import annotations

from truespec.models.presets import RESPECBENCH, expand


def test_nine_models_each_by_its_name() -> None:
    assert len(RESPECBENCH) == 9
    assert expand(("respecbench",)) == tuple(RESPECBENCH.values())
    for short, full in RESPECBENCH.items():
        assert expand((f"respecbench/{short}",)) == (full,)
    assert expand(("respecbench/gpt-5", "respecbench", "openai/gpt-5"))[:2] == (
        "openrouter/openai/gpt-5",
        "openrouter/openai/gpt-5-mini",
    )
    assert expand(("respecbench/gpt-6",)) == ("respecbench/gpt-6",)
