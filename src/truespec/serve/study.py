"""The pages of judge studies: each judgement beside the verdict on the same answer, disagreements first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.routing import Route

from truespec.serve.marks import Marks
from truespec.serve.pages import PER_PAGE, Draw, Pages, as_it_is, page_number, paged
from truespec.store.labels import STUDY_LABELS
from truespec.store.study import STANDINGS, Studies, Study, StudyQuery
from truespec.verdict import UsageError, Verdict

FILTERS = ("standing", "judge", "kind", "domain", "text", "label")
"""The parts of an address that choose judgements."""
ORDERS = ("the oracle first", "the candidate first")
"""What an equivalence judge reads, reply by reply."""


class StudyPages(Pages):
    """The pages on the studies of an index."""

    part = "study"

    def __init__(self, studies: Studies, marks: Marks, templates: Callable[[], Any], draw: Draw) -> None:
        super().__init__(marks, templates, draw)
        self._studies = studies

    def routes(self) -> list[Route]:
        """The addresses of the pages."""
        return [
            Route("/study", self._page(self._all), methods=["GET"]),
            Route("/study/{study:int}", self._page(self._list), methods=["GET"]),
            Route("/study/{study:int}/{number:int}", self._page(self._one), methods=["GET"]),
        ]

    def _named(self, number: int) -> Study:
        if not 1 <= number <= len(self._studies.studies):
            raise UsageError(f"there is no study {number}: there are {len(self._studies.studies)}")
        study = self._studies.studies[number - 1]
        self._studies.refresh(study)
        return study

    def _all(self, request: Request) -> tuple[str, dict[str, Any]]:
        studies = [self._named(study.number) for study in self._studies.studies]
        counted = [(study, self._studies.counts(study)) for study in studies]
        return "studies.html", {"studies": counted, "standings": STANDINGS}

    def _query(self, study: Study, given: dict[str, str], offset: int = 0) -> StudyQuery:
        label = given.get("label", "")
        labels = self._marks.labels
        keys = labels.keys(str(study.folder), "" if label == "none" else label) if labels and label else None
        return StudyQuery(
            **{name: given.get(name, "") for name in FILTERS[:5]},
            keys=keys,
            without=label == "none",
            offset=offset,
            limit=PER_PAGE,
        )

    def _list(self, request: Request) -> tuple[str, dict[str, Any]]:
        study = self._named(request.path_params["study"])
        given = {name: value[:500] for name in FILTERS if (value := request.query_params.get(name))}
        page = page_number(request.query_params)
        count, rows = self._studies.listed(study, self._query(study, given, PER_PAGE * (page - 1)))
        for row in rows:
            label = self._marks.labels.of(str(study.folder), row["key"]) if self._marks.labels else None
            row["label"] = label.label if label else ""

        return "study.html", {
            "study": study,
            "count": count,
            "rows": rows,
            "given": given,
            "choices": {
                "standing": list(STANDINGS),
                **{name: self._studies.values(study, name) for name in ("judge", "kind", "domain")},
                **({"label": ["none", *STUDY_LABELS]} if self._marks.labels else {}),
            },
            "kept": f"?{urlencode(given)}" if given else "",
            **paged(f"/study/{study.number}", given, page, count),
        }

    def _one(self, request: Request) -> tuple[str, dict[str, Any]]:
        study, number = self._named(request.path_params["study"]), request.path_params["number"]
        found = self._studies.judged(study, number)
        if found is None:
            raise UsageError(f"study {study.number} has no judgement {number}")
        given = {name: value[:500] for name in FILTERS if (value := request.query_params.get(name))}
        before, after = self._studies.beside(study, self._query(study, given), number)
        answer, judgement = found.answer or {}, found.judgement
        task = found.task or {}
        domain = str(answer.get("domain") or judgement.get("domain") or "")
        try:
            verdict = Verdict.from_json(answer["verdict"])
            shown = self._draw(domain, verdict, task.get("context") or {})
        except (LookupError, TypeError, ValueError) as error:
            shown = {"verdict": None, "error": f"the run holds no verdict on this answer: {error}"}
        label = self._marks.labels.of(str(study.folder), found.key) if self._marks.labels else None
        return "judged.html", {
            "error": "",
            **shown,
            "study": study,
            "number": number,
            "judged": found,
            "judgement": judgement,
            "candidate": answer.get("candidate"),
            "reply": (answer.get("reply") or {}).get("text", ""),
            "task": task,
            "words": _words(judgement),
            "before": before,
            "after": after,
            "query": urlencode(given),
            "kept": f"?{urlencode(given)}" if given else "",
            "label": label,
            "allowed": STUDY_LABELS,
            "record": as_it_is({"judgement": judgement, "answer": answer}),
            "link": "",
        }


def _words(judgement: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Each reply of the judge: its title, its text, and what is wrong with its form."""
    replies = judgement.get("replies") or []
    problems = judgement.get("problems") or []
    found = []
    for place, reply in enumerate(replies):
        title = f"Reply {place + 1} of {len(replies)}"
        if judgement.get("kind") == "equivalence":
            title += f", {ORDERS[place % 2]}"
        text = str(reply.get("text", "")) if isinstance(reply, dict) else str(reply)
        found.append((title, text, str(problems[place]) if place < len(problems) else ""))
    return found
