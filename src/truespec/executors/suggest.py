"""Words for prompts by a model, for repairs that replay has found; every reply in the ledger."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from truespec.compliance.evaluators.answer import TRIES, again
from truespec.compliance.suggest import Proposal, Repair
from truespec.compliance.wording import WORDING, Case, ask, read
from truespec.executors.calls import run_calls
from truespec.models.call import Call, Settings
from truespec.models.contract import Model, ModelError
from truespec.store.calls import CallLedger
from truespec.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class Worded:
    """A repair after a model was asked for words."""

    repair: Repair
    """With the model's proposal in the place of the rule's own words, where there is one."""
    problem: str = ""
    """Why there is none: a failed call, or what was wrong with the last answer."""


def worded(
    found: Sequence[Repair],
    models: Mapping[str, Model],
    name: str,
    ledger: CallLedger,
    *,
    settings: Settings = WORDING,
    concurrency: int = 8,
    hide: Callable[[Trace], Trace] = lambda trace: trace,
) -> list[Worded]:
    """Each repair with the words that the model proposes; an answer that cites what is not there is sent back
    with the reason, twice at most."""
    cases = [Case.of(repair, hide) for repair in found]
    results: dict[int, Proposal | str] = {}
    first: dict[int, Call] = {}
    waiting: dict[Call, list[tuple[int, int]]] = {}
    for number, case in enumerate(cases):
        call = ask(case, name, settings)
        if isinstance(call, str):
            results[number] = call
        else:
            first[number] = call
            waiting.setdefault(call, []).append((number, 0))
    while waiting:
        following: dict[Call, list[tuple[int, int]]] = {}
        for call, reply in run_calls(list(waiting), models, ledger, concurrency=concurrency):
            for number, attempt in waiting[call]:
                if isinstance(reply, ModelError):
                    results[number] = f"a call failed: {reply}"
                    continue
                made = read(reply.text, cases[number])
                if isinstance(made, str) and attempt + 1 < TRIES:
                    once_more = again(first[number], reply.text, [made], attempt + 1)
                    following.setdefault(once_more, []).append((number, attempt + 1))
                elif isinstance(made, str):
                    results[number] = f"no acceptable answer in {TRIES} tries: {made}"
                else:
                    results[number] = made
        waiting = following
    return [_with(repair, results[number]) for number, repair in enumerate(found)]


def _with(repair: Repair, made: Proposal | str) -> Worded:
    if isinstance(made, str):
        return Worded(repair, made)
    kept = tuple(proposal for proposal in repair.proposals if proposal.kind != "prompt")
    return Worded(replace(repair, proposals=(*kept, made)))
