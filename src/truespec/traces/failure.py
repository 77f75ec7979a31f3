"""Which results tell that their call failed.

Sources say it in different ways: by a flag, by words, by a field of a JSON object, by an exit code, by a
traceback. Each way is a predicate with a name; a source, and a rule file for a tool, may choose among them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

_MOST_JSON = 4 << 20
"""Characters of a result that is read as JSON."""
_EDGE = 400
"""Characters at either end of a result in which an exit code is looked for."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call counts as failed."""

    by: str
    """The predicate: one of `PREDICATES`, or `rule file`."""
    evidence: str
    """The words or the field that say so."""


def shortened(text: str, most: int = 80) -> str:
    """The text; its beginning and an ellipsis where it is longer."""
    return text if len(text) <= most else text[: most - 1] + "…"


_WORDS = re.compile(
    r"\s*(?:Error|error:|ERROR:|MCP error -?\d|<(?:tool_use_)?error>"
    r"|An error occurred while|I encountered an error while|Encountered error: "
    r"|Tool '[^'\n]{1,80}' timed out)"
)
"""How results begin that tell an error, and what frameworks answer in the place of a tool that failed."""


def _by_words(text: str) -> str | None:
    return shortened(text) if _WORDS.match(text) else None


# What a JSON text has to hold somewhere for one of the fields below to tell a failure.
_HINT = re.compile(
    r'"(?:(?:[eE]rrors?|ERROR|exception|isError|is_error)"\s*:\s*(?!null\b|false\b|""|\[\]|\{\}|0\b)'
    r'|(?:success|succeeded|ok)"\s*:\s*"?(?i:false)\b'
    r'|status"\s*:\s*"(?i:error|errored|fail|failed|failure|exception|timeout|denied|rejected)"'
    r'|(?:status|statusCode|status_code)"\s*:\s*"?[45]\d\d\b'
    r'|(?:exit_?[cC]ode|return_?[cC]ode|exit_?[sS]tatus)"\s*:\s*"?-?[1-9])'
)
_BAD = frozenset(
    ("error", "errored", "fail", "failed", "failure", "exception", "timeout", "denied", "rejected")
)
_EXIT_FIELDS = (
    "exit_code", "exitCode", "exitcode", "return_code", "returnCode", "returncode", "exit_status",
    "exitStatus",
)  # fmt: skip


def _object(text: str) -> Mapping[str, Any]:
    """The JSON object that a text is, where it could tell a failure; else nothing."""
    if text.lstrip()[:1] != "{" or len(text) > _MOST_JSON or not _HINT.search(text):
        return {}
    try:
        value = orjson.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _by_json(text: str) -> str | None:
    value = _object(text)
    for key in ("error", "errors", "exception", "Error", "Errors", "ERROR"):
        reported = value.get(key)
        if reported and str(reported).strip().lower() not in ("none", "null", "false"):
            return f"{key}: {shortened(str(reported))}"
    for key, bad in (("isError", "true"), ("is_error", "true"), ("success", "false"), ("succeeded", "false")):
        if key in value and _said(value[key]) == bad:
            return f"{key}: {bad}"
    if _said(value.get("ok")) == "false":
        return "ok: false"
    for key in ("status", "statusCode", "status_code"):
        if key in value and ((said := _said(value[key])) in _BAD or _REFUSED.fullmatch(said)):
            return f"{key}: {value[key]}"
    return None


_REFUSED = re.compile(r"[45]\d\d")
_NOT_ZERO = re.compile(r"-?0*[1-9]\d*")


def _said(value: Any) -> str:
    """A truth value, a whole number or a word, as sources write it: with quotes or without."""
    return str(value).strip().lower() if isinstance(value, str | int) else ""


_EXIT = re.compile(
    r"\b(?:exit(?:ed)?|return(?:ed)?)(?: with)?[ _-]?(?:code|status)\W{1,3}(-?\d{1,6})\b", re.IGNORECASE
)


def _by_exit_code(text: str) -> str | None:
    value = _object(text)
    for key in _EXIT_FIELDS:
        if key in value and _NOT_ZERO.fullmatch(code := _said(value[key])):
            return f"{key}: {code}"
    if text.lstrip()[:1] == "{":
        return None
    edges = text if len(text) <= 2 * _EDGE else f"{text[:_EDGE]}\n{text[-_EDGE:]}"
    found = list(_EXIT.finditer(edges))
    return found[-1].group() if found and int(found[-1].group(1)) else None


_TRACEBACK = "Traceback (most recent call last):"
_RAISED = re.compile(r"^[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Warning)\b")
_STACK = re.compile(
    r"\s*((?:Exception in thread [^\n]{1,80}? )?(?:[\w$]{1,60}\.){0,20}[\w$]{0,60}(?:Error|Exception)\b"
    r"[^\n]{0,1000})"
    r"(?:\n[^\n]{0,1000}){0,5}?\n\s{1,8}at \S"
    r"|\s*(panic: [^\n]{0,1000})\n\s*goroutine \d"
)
"""The head of a stack as the JVM, JavaScript and Go print it, at the start of a text."""


def _by_traceback(text: str) -> str | None:
    """A traceback at the start, or one that the text ends with; a text that quotes one goes on after it."""
    if "\n" in text and (stack := _STACK.match(text)):
        return shortened(stack.group(1) or stack.group(2))
    if _TRACEBACK not in text:
        return None
    last = text.rstrip().rpartition("\n")[2]
    if text.lstrip().startswith(_TRACEBACK) or _RAISED.match(last):
        return shortened(last) if _RAISED.match(last) else _TRACEBACK
    return None


TESTS: dict[str, Callable[[str], str | None]] = {
    "text": _by_words,
    "json": _by_json,
    "exit_code": _by_exit_code,
    "traceback": _by_traceback,
}
"""The predicates on texts: each gives the words that tell a failure, or None."""
PREDICATES = ("flag", *TESTS)
"""All predicates. `flag` is what the source says itself; where it speaks, it decides."""
BY_SOURCE: dict[str, Sequence[str]] = {
    "tau2": ("flag", "text"),
    "tau-bench": ("flag", "text"),
}
"""Formats whose results are read by fewer predicates: their tools answer with records that have fields
such as `status` of their own."""


def failure_of(
    text: str | None, flag: bool | None = None, which: Sequence[str] = PREDICATES
) -> Failure | None:
    """Why a result tells a failure, by these predicates; None where it does not.

    >>> failure_of('{"status": "error", "detail": "no seat"}')
    Failure(by='json', evidence='status: error')
    """
    if flag is not None and "flag" in which:
        return Failure("flag", "the source says so") if flag else None
    for name in which if text else ():
        test = TESTS.get(name)
        evidence = test(text) if test is not None and text else None
        if evidence is not None:
            return Failure(name, evidence)
    return None
