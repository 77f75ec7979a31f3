"""The second and third check of extracted formal parts: the calls, and what becomes of each rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from truespec.extraction.confirm import (
    Again,
    Dispute,
    Question,
    ask_again,
    ask_back,
    ask_settle,
    compared,
    confirmed,
    questions,
    read_again,
    read_back,
    rejected,
    settled,
)
from truespec.extraction.read import Check, Extracted, Extraction
from truespec.models.call import Call, Settings
from truespec.rules.compare import Toolbox

Place = tuple[str, int]
"""A prompt's key, and a rule's number in its extraction."""
Ask = Callable[[Mapping[Any, Call], Callable[[Any, str], Any]], Mapping[Any, Any]]
"""Makes calls and reads their replies; a text in place of a value says why there is none."""


@dataclass(frozen=True)
class Checking:
    """How formal parts are checked."""

    ask: Ask
    """How calls are made."""
    model: str
    """Who extracted, and reads conversations."""
    second: str
    """Who formalises again; may be the same."""
    settings: Settings
    """How they are asked."""

    def check(
        self, found: Mapping[str, Extraction], toolboxes: Mapping[str, Toolbox]
    ) -> dict[str, Extraction]:
        """The extractions, with each formal part that does not pass all checks left to a judge."""
        rules: dict[Place, Extracted] = {
            (key, number): one
            for key, extraction in found.items()
            for number, one in enumerate(extraction.rules)
        }
        boxes = {place: toolboxes[place[0]] for place in rules}
        self._second_formalisation(rules, boxes)
        self._conversations(rules, boxes)
        return {
            key: replace(
                extraction, rules=tuple(rules[key, number] for number in range(len(extraction.rules)))
            )
            for key, extraction in found.items()
        }

    def _second_formalisation(self, rules: dict[Place, Extracted], boxes: Mapping[Place, Toolbox]) -> None:
        calls = {
            place: ask_again(one.rule, boxes[place], self.second, self.settings, _subject(place, one))
            for place, one in _open(rules).items()
        }
        disputes: dict[Place, Dispute] = {}
        for place, again in self.ask(calls, lambda _, reply: read_again(reply)).items():
            one = rules[place]
            outcome = _unanswered(again) or compared(one, again, boxes[place])
            if isinstance(outcome, Dispute) and outcome.trace is not None:
                disputes[place] = outcome
            elif isinstance(outcome, Dispute):
                second = outcome.second
                given = again.formal if isinstance(again, Again) else None
                both = tuple(x for x in (one.formal, second.formal if second else given) if x is not None)
                rules[place] = rejected(one, Check("second formalisation", "failed", outcome.why), both)
            elif outcome.status == "passed":
                rules[place] = replace(one, checks=(*one.checks, outcome))
            else:
                rules[place] = rejected(one, replace(outcome, name="second formalisation"))
        self._settle(rules, disputes, boxes)

    def _settle(
        self,
        rules: dict[Place, Extracted],
        disputes: Mapping[Place, Dispute],
        boxes: Mapping[Place, Toolbox],
    ) -> None:
        calls = {
            place: ask_settle(
                rules[place].rule,
                dispute.trace,
                boxes[place],
                self.model,
                self.settings,
                _subject(place, rules[place]),
            )
            for place, dispute in disputes.items()
            if dispute.trace is not None
        }
        for place, again in self.ask(calls, lambda _, reply: read_again(reply, True)).items():
            lost = _unanswered(again)
            rules[place] = (
                rejected(rules[place], replace(lost, name="second formalisation"))
                if lost is not None
                else settled(rules[place], disputes[place], again, boxes[place])
            )

    def _conversations(self, rules: dict[Place, Extracted], boxes: Mapping[Place, Toolbox]) -> None:
        asked: dict[Place, tuple[Question, ...]] = {
            place: questions(one, boxes[place]) for place, one in _open(rules).items()
        }
        calls = {
            (place, number): ask_back(
                rules[place].rule,
                question,
                self.model,
                self.settings,
                f"{_subject(place, rules[place])}/{number + 1}",
            )
            for place, listed in asked.items()
            for number, question in enumerate(listed)
        }
        answers = self.ask(calls, lambda _, reply: read_back(reply))
        for place, listed in asked.items():
            replies = [answers[place, number] for number in range(len(listed))]
            lost = next((reply for reply in replies if isinstance(reply, str)), None)
            rules[place] = (
                rejected(rules[place], Check("conversations", "not made", lost))
                if lost is not None
                else confirmed(rules[place], listed, replies)
            )


def _open(rules: Mapping[Place, Extracted]) -> dict[Place, Extracted]:
    """The rules whose formal part has passed all checks so far."""
    return {place: one for place, one in rules.items() if one.route == "deterministic"}


def _subject(place: Place, one: Extracted) -> str:
    return f"{place[0]}/{one.rule.id}"


def _unanswered(again: object) -> Check | None:
    """The check that was not made, where there is no usable reply."""
    return Check("second formalisation", "not made", again) if isinstance(again, str) else None
