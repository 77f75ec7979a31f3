"""What the pages on runs and those on studies share: handlers, the page of a list, the record as it is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from truespec.serve.guarded import problem
from truespec.serve.marks import Marks
from truespec.verdict import UsageError, Verdict

PER_PAGE = 50
"""Records of one page."""
LONGEST_RECORD = 200_000
"""Characters of a record that its page shows as they are; the rest is counted."""

Draw = Callable[[str, Verdict, dict[str, Any]], dict[str, Any]]
"""What the template of a verdict needs."""
Made = Callable[[Request], tuple[str, dict[str, Any]]]
"""Makes the template's name and its values for a request."""


class Pages:
    """Pages of one part of the app."""

    part: str
    """The part that the navigation marks: `runs` or `study`."""

    def __init__(self, marks: Marks, templates: Callable[[], Any], draw: Draw) -> None:
        self._marks, self._templates, self._draw = marks, templates, draw

    def _page(self, made: Made) -> Callable[[Request], Any]:
        """A handler that makes its page in a thread: the index is read there."""

        async def handler(request: Request) -> Response:
            try:
                template, values = await asyncio.to_thread(made, request)
            except UsageError as error:
                return problem(404, str(error))
            return HTMLResponse(
                self._templates().get_template(template).render(**values, page=self.part, marks=self._marks)
            )

        return handler


def page_number(given: Mapping[str, str]) -> int:
    """The page of a list that an address asks for, from 1."""
    number = given.get("page", "1")
    return max(1, int(number) if number.isdecimal() and len(number) < 9 else 1)


def paged(path: str, kept: Mapping[str, str], number: int, count: int) -> dict[str, Any]:
    """What the template needs to show page `number` of `count` records; `kept` are the filters in force."""

    def address(**changes: object) -> str:
        options = {name: value for name, value in {**kept, **changes}.items() if value}
        return path + (f"?{urlencode(options)}" if options else "")

    return {"page_number": number, "pages": max(1, -(-count // PER_PAGE)), "address": address}


def as_it_is(record: object) -> str:
    """A record as JSON for people, cut where it is very long."""
    text = json.dumps(record, indent=1, ensure_ascii=False)
    left_out = len(text) - LONGEST_RECORD
    return text if left_out <= 0 else f"{text[:LONGEST_RECORD]}\n… {left_out} more characters"
