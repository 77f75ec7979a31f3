"""What a person writes from the pages: labels of records, and violations accepted into a baseline.

The server writes only to the files that `--labels` and `--baseline` name.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from truespec.compliance.baseline import Baseline, fingerprint, read_baseline, violations_in
from truespec.executors.artifact_file import write_whole
from truespec.serve.guarded import problem
from truespec.store.index import Index
from truespec.store.labels import LONGEST_NOTE, STUDY_LABELS, VERDICT_LABELS, Label, Labels
from truespec.store.study import Studies
from truespec.verdict import UsageError

FORM_BYTES = 20_000
"""The longest form that is read."""


class Marks:
    """The labels and the baseline that the pages show and write.

    Each form holds `key`, a secret of this server, so that a page of another site cannot send one.
    """

    def __init__(self, index: Index, studies: Studies, labels: Path | None, baseline: Path | None) -> None:
        self._index, self._studies = index, studies
        self.key = secrets.token_urlsafe(24)
        """What a form has to send back."""
        self.labels = Labels(labels) if labels else None
        """The labels; None where no file was named."""
        self.baseline = baseline
        """The file of accepted violations; None where none was named."""
        self._accepting = threading.Lock()
        if baseline:
            self._read()

    def routes(self) -> list[Route]:
        """The addresses that write, and the export of labels."""
        return [
            Route("/runs/{run:int}/{number:int}/label", self._form(self._label_pair), methods=["POST"]),
            Route("/runs/{run:int}/{number:int}/accept", self._form(self._accept), methods=["POST"]),
            Route("/study/{study:int}/{number:int}/label", self._form(self._label_study), methods=["POST"]),
            Route("/labels.jsonl", self._export, methods=["GET"]),
            Route("/labels.csv", self._export, methods=["GET"]),
        ]

    def mark(self, artifact: dict[str, Any]) -> list[str]:
        """Set `accepted` on the violations that the baseline holds; return the fingerprint of each.

        Without a baseline nothing is set, and the list is empty. Raises `UsageError` for a record that is no
        whole artifact.
        """
        if self.baseline is None:
            return []
        try:
            self._read().mark(artifact)
            return [fingerprint(artifact, one) for one in violations_in(artifact)]
        except (KeyError, TypeError, ValueError) as error:
            raise UsageError(f"the record is no whole artifact of a trace: {error!r:.100}") from None

    def _read(self) -> Baseline:
        assert self.baseline is not None
        return read_baseline(self.baseline) if self.baseline.exists() else Baseline()

    def _form(self, took: Callable[[Request, Mapping[str, str]], str]) -> Callable[[Request], Any]:
        """A handler that reads a form, checks its key, and goes to the address that `took` returns."""

        async def handler(request: Request) -> Response:
            length = request.headers.get("content-length", "")
            if not length.isdecimal() or int(length) > FORM_BYTES:
                return problem(413, f"the form is longer than {FORM_BYTES} bytes")
            form: FormData = await request.form(max_files=0, max_fields=20)
            fields = {name: value for name, value in form.multi_items() if isinstance(value, str)}
            if not hmac.compare_digest(fields.get("key", "").encode(), self.key.encode()):
                return problem(
                    403, "the form is not of this server's pages: reload the page and send it again"
                )
            try:
                return RedirectResponse(await asyncio.to_thread(took, request, fields), 303)
            except UsageError as error:
                return problem(400, str(error))

        return handler

    def _label_pair(self, request: Request, form: Mapping[str, str]) -> str:
        run, record, _ = self._found(request)
        reason = record.get("reason") or {}
        facts = {name: record.get(name) for name in ("domain", "answer", "relation", "method", "version")}
        facts["reason"] = reason.get("code")
        self._add(str(run.path), str(record.get("id", "")), form, VERDICT_LABELS, facts)
        return f"/runs/{run.number}/{request.path_params['number']}#label"

    def _label_study(self, request: Request, form: Mapping[str, str]) -> str:
        number = request.path_params["study"]
        if not 1 <= number <= len(self._studies.studies):
            raise UsageError(f"there is no study {number}")
        study = self._studies.studies[number - 1]
        found = self._studies.judged(study, request.path_params["number"])
        if found is None:
            raise UsageError(f"study {number} has no judgement {request.path_params['number']}")
        names = ("task", "domain", "model", "epoch", "judge", "kind", "scores", "judgement")
        facts = {name: found.judgement.get(name) for name in names}
        facts["answer"] = ((found.answer or {}).get("verdict") or {}).get("answer")
        facts["standing"] = found.standing
        self._add(str(study.folder), found.key, form, STUDY_LABELS, facts)
        query = f"?{form['query']}" if form.get("query") else ""
        return f"/study/{number}/{request.path_params['number']}{query}#label"

    def _add(
        self,
        run: str,
        record: str,
        form: Mapping[str, str],
        allowed: tuple[str, ...],
        facts: Mapping[str, Any],
    ) -> None:
        if self.labels is None:
            raise UsageError("no file of labels was named: start 'truespec serve' with --labels FILE")
        label = form.get("label", "")
        if label and label not in allowed:
            raise UsageError(f"there is no label {label!r:.40}; expected one of {', '.join(allowed)}")
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.labels.add(Label(run, record, label, form.get("note", "")[:LONGEST_NOTE], now, facts))

    def _accept(self, request: Request, form: Mapping[str, str]) -> str:
        if self.baseline is None:
            raise UsageError("no baseline was named: start 'truespec serve' with --baseline FILE")
        run, artifact, number = self._found(request)
        if run.kind != "traces":
            raise UsageError(f"run {run.number} holds no violations")
        names = [fingerprint(artifact, one) for one in violations_in(artifact)]
        chosen = form.get("violation", "")
        if chosen not in names:
            raise UsageError("the trace has no such violation: reload the page")
        wanted = [one for one, name in zip(violations_in(artifact), names, strict=True) if name == chosen]
        one = {**artifact, "results": [{"violations": wanted}]}
        with self._accepting:
            baseline = self._read()
            baseline.accept([one], (), form.get("reason", "")[:LONGEST_NOTE])
            write_whole(self.baseline, baseline.text())
        return f"/runs/{run.number}/{number}#v{names.index(chosen) + 1}"

    def _found(self, request: Request) -> tuple[Any, dict[str, Any], int]:
        number, wanted = request.path_params["run"], request.path_params["number"]
        if not 1 <= number <= len(self._index.runs):
            raise UsageError(f"there is no run {number}")
        run = self._index.runs[number - 1]
        found = self._index.record(run, wanted)
        if found is None:
            raise UsageError(f"run {number} has no record {wanted}")
        return run, found[0], wanted

    async def _export(self, request: Request) -> Response:
        if self.labels is None:
            return problem(404, "no file of labels was named: start 'truespec serve' with --labels FILE")
        name = request.url.path.removeprefix("/")
        csv = name.endswith(".csv")
        text = self.labels.as_csv() if csv else self.labels.as_lines()
        kind = "text/csv; charset=utf-8" if csv else "application/x-ndjson"
        headers = {"content-type": kind, "content-disposition": f'attachment; filename="{name}"'}
        return Response(text.encode("utf-8", "backslashreplace"), headers=headers)
