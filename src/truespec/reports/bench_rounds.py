"""Repairs by round: success, calls and cost under each kind of feedback."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from truespec.metrics.clustered import clustered, counted, paired_difference
from truespec.metrics.table import Table, estimated, number, share
from truespec.reports.bench_items import cluster_of, grouped, total


def rounds_table(chains: Sequence[dict[str, Any]], answers: Sequence[dict[str, Any]]) -> Table:
    """Success after each round, by model and kind of feedback, with the calls and what they cost.

    `chains` are the records of `rounds.jsonl`, `answers` those of the run. A chain that has ended keeps its
    last answer. An answer that no chain was made of, since the run has grown, is left out.
    """
    first = {_key(answer): answer for answer in answers}
    chains = [chain for chain in chains if _key(chain) in first]
    most = max((len(chain["rounds"]) for chain in chains), default=0)
    rows = []
    for (model, feedback), some in grouped(chains, lambda c: (str(c["model"]), str(c["feedback"]))).items():
        steps = [[(cluster_of(c), _right(c, first, done)) for c in some] for done in range(most + 1)]
        made = [one["reply"] for chain in some for one in chain["rounds"]]
        made += [reply for chain in some for reply in chain["opinions"]]
        tokens = total(reply.get(name) for reply in made for name in ("input_tokens", "output_tokens"))
        gain = paired_difference(counted(steps[-1]), counted(steps[0]))
        lost = sum(_right(c, first, 0) and not _right(c, first, most) for c in some)
        accepted = [c for c in some if c["ended"] == "accepted"]
        wrong = clustered((cluster_of(c), not _right(c, first, most)) for c in accepted)
        cells = (
            *[share(clustered(step)) for step in steps],
            estimated(gain, signed=True),
            number(lost),
            share(wrong),
            number(sum(c["ended"] == "no reply" for c in some)),
            number(len(made)),
            number(tokens),
            number(total(reply.get("cost") for reply in made), ".2f"),
        )
        rows.append((f"{model}, {feedback}", number(len(some)), *cells))
    heads = (
        *("model, feedback", "answers", "at first"),
        *[f"after round {done}" for done in range(1, most + 1)],
        *("gain", "right ones lost", "wrong where the judge accepts", "no reply", "calls", "tokens", "US$"),
    )
    note = (
        "Proved equivalent, of the answers that the run holds. Feedback: none asks about every answer again; "
        "answer tells that it is refuted, or why it is invalid; counterexample also tells an input with what "
        "was intended there; judge tells the words of a formalization judge that rejects it. What the "
        "verifier could not decide is not called wrong. Calls, tokens, cost: of rounds and opinions."
    )
    return Table("rounds", "Repairs by round and kind of feedback", heads, tuple(rows), note)


def _key(record: dict[str, Any]) -> tuple[Any, ...]:
    return record.get("run"), record["task"], record["model"], record["epoch"]


def _right(chain: dict[str, Any], first: dict[tuple[Any, ...], dict[str, Any]], done: int) -> bool:
    """Whether the answer that stands after so many rounds is proved equivalent."""
    last = chain["rounds"][:done][-1] if chain["rounds"][:done] else first[_key(chain)]
    return bool(last["verdict"]["answer"] == "equivalent")
