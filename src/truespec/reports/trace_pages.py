"""Pages of a run over traces: one with the tables and figures, one for each trace with its conversation."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from truespec.reports.share_chart import share_chart
from truespec.reports.trace_tables import Share, first_to_fix, grouped, rule_totals, same_prompt
from truespec.traces.redact import Redactor
from truespec.traces.trace import Trace
from truespec.version import __version__

_TEXT_LIMIT = 20_000
"""Characters of a message that a page shows."""


_PROMPT_LIMIT = 600
"""A longer prompt has a page of its own, which all traces that were given it share."""


@cache
def _source(name: str) -> str:
    return files("truespec.reports").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:  # kept: it holds the compiled templates
    return Environment(
        loader=FunctionLoader(_source),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def page_name(artifact: Mapping[str, Any]) -> str:
    """The file name of a trace's page."""
    return hashlib.sha256(artifact["key"].encode()).hexdigest()[:16] + ".html"


def found_in(artifact: Mapping[str, Any]) -> int:
    """The violations of a trace."""
    return sum(len(result["violations"]) for result in artifact["results"])


@cache
def _style() -> Markup:
    lines = (_source("base.css") + _source("traces.css")).splitlines()
    return Markup("\n".join(line.strip() for line in lines))


def _row(artifact: Mapping[str, Any], page: bool) -> dict[str, Any]:
    total, reward = artifact["aggregate"], artifact["outcome"].get("reward")
    partial = "–" if total["partial"] is None else f"({total['partial']:.0f})"
    return {
        "name": artifact["trace_id"],
        "page": page_name(artifact) if page else None,
        "task": artifact["task_id"] or "–",
        "reward": "–" if reward is None else f"{reward:g}",
        "violations": found_in(artifact),
        "score": partial if total["score"] is None else f"{total['score']:.0f}",
    }


def overview(
    artifacts: Sequence[Mapping[str, Any]], title: str = "Traces against rules", every: bool = True
) -> str:
    """The page with the tables and figures; unless `every`, traces without a finding are not listed."""
    groups = grouped(artifacts)
    rules = rule_totals(artifacts)
    cells = {
        (g.domain, g.model, r["rule"]["id"]): Share(
            g.breaking.get(r["rule"]["id"], 0), g.spoken.get(r["rule"]["id"], 0)
        )
        for g in groups
        for r in rules
    }
    lists = []
    for g in groups:
        mine = [
            one
            for one in artifacts
            if (one["domain"] or "–", one["model"] or "–") == (g.domain, g.model) and (every or found_in(one))
        ]
        if mine:
            lists.append((g.domain, g.model, [_row(one, True) for one in sorted(mine, key=found_in)[::-1]]))
    model_figures = [
        (
            domain,
            share_chart(
                [(g.model, Share(g.binding, g.traces), False) for g in groups if g.domain == domain],
                f"{domain}: share of traces that break a mandatory rule, by model",
            ),
        )
        for domain in dict.fromkeys(g.domain for g in groups)
    ]
    rule_figure = share_chart(
        [(r["rule"]["id"], r["share"], r["dull"]) for r in rules], "share of traces that break each rule"
    )
    return (
        _environment()
        .get_template("traces.html")
        .render(
            title=title,
            artifacts=artifacts,
            lists=lists,
            missing_pages=not every and sum(len(rows) for *_, rows in lists) < len(artifacts),
            groups=groups,
            rules=rules,
            fixes=first_to_fix(artifacts, rules),
            page_name=page_name,
            cells=cells,
            same=same_prompt(groups),
            share=Share,
            model_figures=model_figures,
            rule_figure=rule_figure,
            style=_style(),
            version=__version__,
        )
    )


def trace_page(
    artifact: Mapping[str, Any],
    trace: Trace | None,
    redactor: Redactor | None = None,
    prompt_page: Callable[[str], str] | None = None,
) -> str:
    """The page of one trace: its conversation with each violation at its message.

    `prompt_page` takes a long prompt and returns the address of a page that shows it; without it, the
    prompt stands on this page.
    """
    if redactor is not None:
        if trace is not None:
            redactor.learn(trace)
        kept = ("results", "rules", "aggregate", "checks")
        artifact = {**artifact, **{part: redactor.value(artifact[part]) for part in kept}}
    marks: dict[int, list[Mapping[str, Any]]] = {}
    rules = {rule["id"]: rule for rule in artifact["rules"]}
    for result in artifact["results"]:
        for v in result["violations"]:
            marks.setdefault(v["message_index"], []).append(v)
    if trace is not None and redactor is not None:
        trace = redactor.trace(trace)
    messages = list(_messages(trace)) if trace is not None else []
    if trace is not None and trace.system_prompt and not any(m["role"] == "system" for m in messages):
        messages.insert(
            0,
            {
                "index": None,
                "role": "system",
                "text": _cut(trace.system_prompt),
                "calls": [],
                "note": "prompt",
            },
        )
    for message in messages:
        if (
            prompt_page is not None
            and message["role"] == "system"
            and len(message["text"]) > _PROMPT_LIMIT
            and message["index"] not in marks
        ):
            message["prompt"] = prompt_page(message["text"])
    return (
        _environment()
        .get_template("trace.html")
        .render(
            artifact=artifact,
            messages=messages,
            marks=marks,
            rules=rules,
            style=_style(),
            version=__version__,
        )
    )


def _cut(text: str) -> str:
    return text if len(text) <= _TEXT_LIMIT else text[:_TEXT_LIMIT] + f" … ({len(text)} characters)"


def _messages(trace: Trace) -> Iterator[dict[str, Any]]:
    for index, message in enumerate(trace.messages):
        calls = [
            {
                "name": call.name,
                "arguments": call.raw
                if call.arguments is None
                else json.dumps(call.arguments, indent=1, ensure_ascii=False, default=str),
            }
            for call in message.calls
        ]
        note = ""
        if message.role == "tool":
            note = (
                f"result{' of ' + message.tool if message.tool else ''}{', failed' if message.failed else ''}"
            )
        yield {
            "index": index,
            "role": message.role if message.requestor != "user" or message.role != "tool" else "user's tool",
            "text": _cut(message.text or ""),
            "calls": calls,
            "note": note or (message.name or ""),
        }


def write_report(
    artifacts: Sequence[Mapping[str, Any]],
    traces: Iterable[Trace],
    folder: Path,
    redactor: Redactor | None = None,
    every: bool = False,
    written: Callable[[int], None] | None = None,
) -> int:
    """Write `index.html` and, below `traces/`, a page per trace with findings, or per trace if `every`.

    Returns the number of traces with a page; `written` is called with it after each.
    """
    chosen = [one for one in artifacts if every or found_in(one)]
    known = {(one["source"]["sha256"], one["source"].get("position")): one for one in chosen}
    pages = folder / "traces"
    pages.mkdir(parents=True, exist_ok=True)
    done: set[str] = set()
    prompts: set[str] = set()

    def prompt_page(text: str) -> str:
        name = f"prompt-{hashlib.sha256(text.encode('utf-8', 'backslashreplace')).hexdigest()[:16]}.html"
        if name not in prompts:
            prompts.add(name)
            _write(pages / name, _environment().get_template("prompt.html").render(text=text, style=_style()))
        return name

    def write(one: Mapping[str, Any], trace: Trace | None) -> None:
        done.add(page_name(one))
        _write(pages / page_name(one), trace_page(one, trace, redactor, prompt_page))
        if written is not None:
            written(len(done))

    for trace in traces:
        one = known.get((trace.source.sha256, trace.source.position))
        if one is not None and page_name(one) not in done:
            write(one, trace)
    for one in chosen:
        if page_name(one) not in done:
            write(one, None)
    _write(folder / "index.html", overview(artifacts, every=every))
    return len(done)


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8", "backslashreplace"))
