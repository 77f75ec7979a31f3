"""The evaluators, in the order in which they are asked."""

from __future__ import annotations

from collections.abc import Mapping

from truespec.compliance.evaluators import (
    argument_groundedness,
    argument_spec,
    forbidden_edges,
    output_spec,
    predicted_final_state,
    predicted_plan,
    transition_spec,
)
from truespec.compliance.evaluators.contract import Evaluator

_ALL: tuple[Evaluator, ...] = (
    output_spec.EVALUATOR,
    transition_spec.EVALUATOR,
    forbidden_edges.EVALUATOR,
    argument_spec.EVALUATOR,
    argument_groundedness.EVALUATOR,
    predicted_plan.EVALUATOR,
    predicted_final_state.EVALUATOR,
)
EVALUATORS: Mapping[str, Evaluator] = {one.name: one for one in _ALL}
"""Evaluators by name."""
BY_CATEGORY: Mapping[str, Evaluator] = {one.category: one for one in _ALL}
"""Evaluators by the category of their rules."""
