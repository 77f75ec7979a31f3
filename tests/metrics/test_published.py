"""The published figures fit together, and the recorded judges' rates are those of the sources' own count."""

from __future__ import annotations

from benchmarks.published import main, recorded_judges, whole_numbers

import needs


def test_tables_fit_together() -> None:
    assert whole_numbers() == (45, 45, 9, 9)


def test_recorded_judges() -> None:
    items = recorded_judges(needs.sources("sql/llm_judge_equiv"))
    assert {judge: len(some) for judge, some in items.items()} == dict.fromkeys(items, 650)
    wrong = {judge: some.count(("NO", "YES")) for judge, some in items.items()}
    assert wrong == {"gpt4": 17, "gpt3.5": 51, "llama3": 47, "mistralai": 29, "gemini": 60}
    main([])
