"""The local app: pages on the same service as the API, rendered here, readable without scripts."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, FunctionLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.datastructures import FormData
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from truespec.domains.context import context_schema
from truespec.domains.registry import DOMAINS
from truespec.reports.point import plain, point
from truespec.reports.visible import pieces
from truespec.serve import api
from truespec.serve.examples import EXAMPLES
from truespec.serve.guarded import Guarded, problem
from truespec.serve.marks import Marks
from truespec.serve.queue import Full
from truespec.serve.runs import RunPages
from truespec.serve.service import Service, in_a_sentence
from truespec.serve.study import StudyPages
from truespec.store.index import Index
from truespec.store.pairs import parse_json
from truespec.store.study import Studies
from truespec.verdict import Counterexample, Proof, TruespecError, UsageError, Verdict
from truespec.version import __version__

LONGEST_FIELD = 200_000
"""Characters of one field of the form."""
KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
STATIC = {
    "htmx.min.js": ("truespec.serve", "static/htmx.min.js"),
    "app.js": ("truespec.serve", "static/app.js"),
    "app.css": ("truespec.serve", "static/app.css"),
    "base.css": ("truespec.reports", "templates/base.css"),
    "report.css": ("truespec.reports", "templates/report.css"),
}
"""Files that pages load, by name: the package and the place in it."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a context, as a form shows it."""

    name: str
    """Its name in the record."""
    kind: str
    """`choice`, `text`, `lines` (a long text) or `json`."""
    choices: tuple[str, ...]
    """Of a choice, the default first."""
    help: str
    """What it means."""
    value: str = ""
    """What the form holds."""


def application(
    service: Service,
    jobs: int,
    *,
    hosts: frozenset[str],
    token: str | None,
    log: bool,
    runs: Sequence[tuple[Path, Path | None]] = (),
    studies: Sequence[Path] = (),
    labels: Path | None = None,
    baseline: Path | None = None,
) -> Starlette:
    """The app and the API. `hosts` are the names that it answers to; `token` None asks for none.

    `runs` are files of records, each with the file of its pairs where there is one; `studies` are folders of
    benchmark runs with judgements. Labels and accepted violations are written to `labels` and `baseline`.
    """
    pages = _Pages(service)
    index, judged = Index(list(runs)), Studies(list(studies))
    marks = Marks(index, judged, labels, baseline)
    run_pages = RunPages(index, marks, _templates, _shown)
    study_pages = StudyPages(judged, marks, _templates, _shown)
    routes = [
        Route("/", pages.try_page, methods=["GET"]),
        Route("/try", pages.try_page, methods=["GET", "POST"]),
        Route("/static/{name}", _static),
        *run_pages.routes(),
        *study_pages.routes(),
        *marks.routes(),
        *api.routes(service, jobs),
    ]
    guarded = Middleware(Guarded, hosts=hosts, token=token, metrics=service.metrics, log=log)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        service.close()
        index.close()
        judged.close()

    async def missing(_: Request, __: Exception) -> Response:
        return problem(404, "there is no such page")

    async def failed(_: Request, error: Exception) -> Response:
        return problem(500, f"unforeseen {type(error).__name__}: please report it")

    handlers = {404: missing, 500: failed}
    return Starlette(routes=routes, middleware=[guarded], lifespan=lifespan, exception_handlers=handlers)


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        return problem(404, "there is no such file")
    package, path = STATIC[name]
    content = files(package).joinpath(path).read_bytes()
    kind = KINDS[name[name.rindex(".") :]]
    return Response(content, headers={"content-type": kind, "cache-control": "max-age=3600"})


@cache
def _templates() -> Environment:
    def source(name: str) -> str:
        return files("truespec.serve").joinpath(f"templates/{name}").read_text("utf-8")

    made = Environment(
        loader=FunctionLoader(source),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(version=__version__, pieces=pieces, plain=plain)
    return made


class _Pages:
    def __init__(self, service: Service) -> None:
        self.service = service

    async def try_page(self, request: Request) -> Response:
        """The form with its verdict: as a whole page, or the verdict alone where htmx asks for it."""
        if request.method == "POST":
            form = await request.form(max_files=0, max_fields=60, max_part_size=LONGEST_FIELD * 4)
        else:
            form = FormData(dict(request.query_params))
        domain = str(form.get("domain") or "regex")
        if domain not in DOMAINS:
            return problem(404, f"there is no domain {domain!r:.60}: expected one of {', '.join(DOMAINS)}")
        example = EXAMPLES[domain][0] if not form.get("oracle") and not form.get("candidate") else None
        if example:
            form = FormData({"domain": domain, **_as_form(domain, example)})
        texts = {name: str(form.get(name) or "") for name in ("oracle", "candidate")}
        shown: dict[str, Any] = {"verdict": None, "error": "", "record": None}
        try:
            context = read_form(domain, form)
            record = {"domain": domain, **texts, "context": context}
            client = request.client.host if request.client else ""
            verdict = await self.service.verify(record, client)
            shown |= _shown(domain, verdict, context)
            shown["record"] = json.dumps({**record, **verdict.to_json()}, indent=1, ensure_ascii=False)
        except Full:
            shown["error"] = "too many requests are waiting: try again"
        except TruespecError as error:
            shown["error"] = str(error)
        link = "/?" + urlencode([(name, str(value)) for name, value in form.multi_items() if value])
        if request.headers.get("hx-request") == "true":
            body = _templates().get_template("verdict.html").render(**shown, link=link, page="try")
            return HTMLResponse(body, headers={"hx-replace-url": link} if len(link) < 8_000 else {})
        body = (
            _templates()
            .get_template("try.html")
            .render(
                **shown,
                link=link,
                page="try",
                domain=domain,
                domains=list(DOMAINS),
                texts=texts,
                fields=fields(domain, form),
                examples=[
                    (one["title"], "/?" + urlencode({"domain": domain, **_as_form(domain, one)}))
                    for one in EXAMPLES[domain]
                ],
            )
        )
        return HTMLResponse(body)


def _as_form(domain: str, example: Mapping[str, Any]) -> dict[str, str]:
    fields_ = {"oracle": str(example["oracle"]), "candidate": str(example["candidate"])}
    for name, value in example["context"].items():
        fields_[f"context.{name}"] = value if isinstance(value, str) else json.dumps(value)
    return fields_


def fields(domain: str, form: Mapping[str, Any]) -> list[Field]:
    """The fields of a domain's context, made from its schema, with what the form holds."""
    found = []
    for name, schema in context_schema(domain)["properties"].items():
        value = str(form.get(f"context.{name}") or "")
        choices = tuple(schema.get("enum", ()))
        if choices and "default" not in schema:
            choices = ("", *choices)
        if choices:
            kind = "choice"
        elif schema.get("type") == "string":
            kind = "lines" if name in ("schema", "preamble", "prelude", "implementation") else "text"
        else:
            kind = "json"
        found.append(Field(name, kind, choices, str(schema.get("description", "")), value))
    return found


def read_form(domain: str, form: Mapping[str, Any]) -> dict[str, Any]:
    """The context that a form holds, without empty fields; `UsageError` names a field that is no JSON."""
    context: dict[str, Any] = {}
    for field in fields(domain, form):
        if len(field.value) > LONGEST_FIELD:
            raise UsageError(f"{field.name}: longer than {LONGEST_FIELD} characters")
        if not field.value.strip():
            continue
        if field.kind != "json":
            context[field.name] = field.value.replace("\r\n", "\n")
            continue
        try:
            context[field.name] = parse_json(field.value)
        except ValueError as error:
            raise UsageError(f"{field.name}: not JSON: {error}") from None
    return context


def _shown(domain: str, verdict: Verdict, context: Mapping[str, Any]) -> dict[str, Any]:
    evidence = verdict.evidence
    shown: dict[str, Any] = {"verdict": verdict, "sentence": in_a_sentence(verdict)}
    shown["proof"] = evidence if isinstance(evidence, Proof) else None
    found = evidence if isinstance(evidence, Counterexample) else None
    shown["found"] = found
    shown["point"] = point(domain, found, context) if found else None
    shown["tables"] = _tables(found, context) if found and domain == "sql" else None
    shown["strip"] = _strip(found) if found and domain == "temporal" else None
    return shown


def _tables(found: Counterexample, context: Mapping[str, Any]) -> dict[str, Any]:
    """The database, with the names of its columns, and both results as tables; a cell None is NULL."""
    tables = found.point.get("tables")
    tables = tables if isinstance(tables, dict) else {}
    return {
        "database": tables,
        "columns": _columns(tables, context),
        "script": found.point.get("script") or "",
        "results": [
            (name, value if isinstance(value, list) else None, value)
            for name, value in (("oracle", found.oracle_value), ("candidate", found.candidate_value))
        ],
    }


def _columns(tables: Mapping[str, Any], context: Mapping[str, Any]) -> dict[str, list[str]]:
    """The columns of each table whose rows are as wide as the schema says; nothing without a schema."""
    from truespec.domains.sql.schema import DIALECTS, read_schema

    try:
        schema = read_schema(str(context["schema"]), str(context.get("dialect") or DIALECTS[0]))
    except (KeyError, TruespecError):
        return {}
    names = {table.name: [column.name for column in table.columns] for table in schema.tables}
    return {
        name: names[name]
        for name, rows in tables.items()
        if name in names and isinstance(rows, list) and all(len(row) == len(names[name]) for row in rows)
    }


def _strip(found: Counterexample) -> list[tuple[bool, list[str]]]:
    """The positions of a trace, or of a word's stem and loop: whether each is in the loop, and its atoms."""
    parts = [(False, found.point.get("trace", found.point.get("stem"))), (True, found.point.get("loop"))]
    return [
        (in_loop, [str(atom) for atom in letter])
        for in_loop, letters in parts
        if isinstance(letters, list)
        for letter in letters
        if isinstance(letter, list)
    ]
