"""The study of judges as rewards, on a case that is worked out by hand."""

from __future__ import annotations

from benchmarks.reward import rows

from truespec.judges.judgement import Judgement
from truespec.reports.bench_items import Item
from truespec.verdict import Answer


def item(task: str, model: str, answer: Answer, score: int) -> Item:
    said = Judgement.ACCEPT if score >= 2 else Judgement.REJECT
    return Item("regex", task, model, "j", "formalization", (score,), said, answer, cluster=task)


def test_reward_of_wrong_answers_and_choosing_by_it() -> None:
    right, wrong = Answer.EQUIVALENT, Answer.REFUTED
    items = [
        item("a", "m", right, 2),
        item("a", "n", wrong, 3),  # the judge prefers the wrong one
        item("b", "m", right, 3),
        item("b", "n", wrong, 3),  # a tie
        item("c", "m", right, 3),
        item("c", "n", wrong, 0),
        item("d", "m", wrong, 1),
        item("d", "n", wrong, 0),  # nothing to choose
    ]
    one, every = rows(items)
    assert every[0].endswith("j, all")
    assert one[1:] == every[1:]
    assert one[1] == "4"
    assert one[2].startswith("40.0% (2/5")
    assert one[3].startswith("40.0% (2/5")
    assert one[4:] == ("37.5%", "37.5%", "75.0%")
