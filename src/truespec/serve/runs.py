"""The pages on runs: lists that sort, filter and search, each record at its own address, two runs compared.

All state of a page is in its address, and every page reads without scripts.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.routing import Route

from truespec.serve.marks import Marks
from truespec.serve.pages import PER_PAGE, Draw, Pages, as_it_is, page_number, paged
from truespec.store.index import SORTS, Index, Query, Run
from truespec.store.labels import VERDICT_LABELS
from truespec.verdict import UsageError, Verdict


def run_of(path: Path, pairs: Path | None = None) -> tuple[Path, Path | None]:
    """The file of records and the file of pairs that a RUN of the command line means.

    A folder is that of a benchmark run. Raises `UsageError` where there is no such file, or no JSON Lines.
    """
    if path.is_dir():
        found = [path / name for name in ("verdicts.jsonl", "found.jsonl") if (path / name).is_file()]
        if not found:
            raise UsageError(f"{path}: holds no verdicts.jsonl and no found.jsonl; name the file itself")
        path = found[0]
    if not path.is_file():
        raise UsageError(f"{path}: there is no such file")
    if path.suffix == ".parquet":
        raise UsageError(f"{path}: a flat table has no evidence to show; give the verdicts as JSON Lines")
    beside = path.with_name("pairs.jsonl")
    return path, pairs if pairs is not None else beside if beside.is_file() and beside != path else None


def _rule_texts(run: Run, artifact: dict[str, Any]) -> dict[str, str]:
    """What each rule of an artifact says, by its identifier."""
    rules = artifact.get("rules")
    rules = run.rule_sets.get(rules) if isinstance(rules, str) else rules
    listed = rules if isinstance(rules, list) else []
    return {str(one.get("id")): str(one.get("text") or "") for one in listed if isinstance(one, dict)}


class RunPages(Pages):
    """The pages on the runs of an index."""

    part = "runs"

    def __init__(self, index: Index, marks: Marks, templates: Callable[[], Any], draw: Draw) -> None:
        super().__init__(marks, templates, draw)
        self._index = index
        threading.Thread(target=index.refresh_all, name="truespec-index", daemon=True).start()

    def routes(self) -> list[Route]:
        """The addresses of the pages."""
        return [
            Route("/runs", self._page(self._runs), methods=["GET"]),
            Route("/runs/{run:int}", self._page(self._run), methods=["GET"]),
            Route("/runs/{run:int}/{number:int}", self._page(self._item), methods=["GET"]),
            Route("/compare", self._page(self._compare), methods=["GET"]),
        ]

    def _named(self, number: object) -> Run:
        runs = self._index.runs
        if not str(number).isdecimal() or not 1 <= int(str(number)) <= len(runs):
            raise UsageError(f"there is no run {number!s:.20}: there are {len(runs)}")
        run = runs[int(str(number)) - 1]
        self._index.refresh(run)
        return run

    def _runs(self, request: Request) -> tuple[str, dict[str, Any]]:
        runs = [self._named(run.number) for run in self._index.runs]
        return "runs.html", {"runs": [(run, self._index.counts(run)["answer"]) for run in runs]}

    def _run(self, request: Request) -> tuple[str, dict[str, Any]]:
        run = self._named(request.path_params["run"])
        given = request.query_params
        page = page_number(given)
        query = Query(
            answer=given.get("answer", "")[:40],
            domain=given.get("domain", "")[:40],
            text=given.get("text", "")[:500],
            sort=given.get("sort", "order"),
            rule=given.get("rule", "")[:200],
            offset=PER_PAGE * (page - 1),
            limit=PER_PAGE,
        )
        count, rows = self._index.listed(run, query)
        kept = {name: str(getattr(query, name)) for name in ("answer", "domain", "rule", "text", "sort")}
        kept = {name: value for name, value in kept.items() if value and (name, value) != ("sort", "order")}

        return "run.html", {
            "run": run,
            "counts": self._index.counts(run),
            "count": count,
            "rows": rows,
            "query": query,
            "sorts": [name for name in SORTS if (name != "worst" or run.kind == "traces")],
            **paged(f"/runs/{run.number}", kept, page, count),
        }

    def _item(self, request: Request) -> tuple[str, dict[str, Any]]:
        run = self._named(request.path_params["run"])
        number = request.path_params["number"]
        found = self._index.record(run, number)
        if found is None:
            raise UsageError(f"run {run.number} has no record {number}")
        record, pair = found
        values: dict[str, Any] = {"run": run, "number": number, "record": record, "pair": pair}
        values["raw"] = as_it_is({**(pair or {}), **record})
        if run.kind == "traces":
            values["names"] = self._marks.mark(record)
            values["said"] = _rule_texts(run, record)
            return "artifact.html", values
        labels = self._marks.labels
        values["label"] = labels.of(str(run.path), str(record.get("id", ""))) if labels else None
        values["allowed"] = VERDICT_LABELS
        context = (pair or {}).get("context") or {}
        try:
            shown = self._draw(str(record["domain"]), Verdict.from_json(record), context)
        except (LookupError, TypeError, ValueError) as error:
            shown = {"verdict": None, "error": str(record.get("error") or f"no verdict record: {error}")}
        link = ""
        if pair is not None:
            fields = {"domain": pair["domain"], "oracle": pair["oracle"], "candidate": pair["candidate"]}
            for name, value in context.items():
                fields[f"context.{name}"] = value if isinstance(value, str) else json.dumps(value)
            link = "/?" + urlencode(fields)
        return "item.html", {"error": "", **shown, **values, "record": values["raw"], "link": link}

    def _compare(self, request: Request) -> tuple[str, dict[str, Any]]:
        old, new = (self._named(request.query_params.get(name, "")) for name in ("old", "new"))
        count, rows = self._index.changed(old, new)
        return "compare.html", {"old": old, "new": new, "count": count, "rows": rows}
