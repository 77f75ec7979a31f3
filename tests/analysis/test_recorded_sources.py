"""GPT-4o's recorded verdicts give the published figures."""

from __future__ import annotations

import pytest

import needs
from truespec.analysis.recorded import read_recorded, standing


@pytest.mark.parametrize(
    ("name", "agreed", "auc"),
    [
        ("airline_policy_conversation_v1", (34, 50), 0.69),
        ("airline_quick_triage_v1", (25, 50), None),
        ("airline_customer_outcome_v1", (20, 50), None),
        ("retail_policy_conversation_v1", (70, 114), 0.62),
        ("telecom_policy_conversation_v1", (87, 114), 0.72),
    ],
)
def test_recorded_verdicts(name: str, agreed: tuple[int, int], auc: float | None) -> None:
    path = needs.sources(f"traces/tau2/recorded_judges/{name}.json.gz")
    found = standing(name, read_recorded(path))
    assert (found.agreed.hits, found.agreed.total, found.unread) == (*agreed, 0)
    assert found.auc is not None
    assert auc is None or round(found.auc.value, 2) == auc
