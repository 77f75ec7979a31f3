"""The prompts: three roles (answer, formalization, equivalence) by five domains, the paper's fifteen.

A role's Markdown file holds its rubric; the description of the language comes from `benchmark/prompts/`. One
more prompt, `refine.md`, makes statements more specific.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import cache
from importlib.resources import files

from truespec.benchmark.prompts import describe_context, language


class Role(Enum):
    """What a model is asked to do."""

    ANSWER = "answer"
    """Write a specification for a statement."""
    FORMALIZATION = "formalization"
    """Judge a specification against its statement."""
    EQUIVALENCE = "equivalence"
    """Judge two specifications against each other."""


@cache
def system(role: Role, domain: str) -> str:
    """The system prompt of a role in a domain."""
    return _filled(role.value, domain)


@cache
def refining(domain: str) -> str:
    """The system prompt for making a statement of a domain more specific, given its reference."""
    return _filled("refine", domain)


def _filled(name: str, domain: str) -> str:
    text = files(__package__).joinpath(f"{name}.md").read_text("utf-8")
    return text.replace("{language}", language(domain))


def ask_answer(statement: str, context: Mapping[str, object], meanings: Mapping[str, str]) -> str:
    """The user's prompt for writing a specification."""
    return _sections(Context=describe_context(context, meanings), Statement=statement)


def ask_formalization(
    statement: str, context: Mapping[str, object], meanings: Mapping[str, str], candidate: str
) -> str:
    """The user's prompt for judging a specification against its statement."""
    return _sections(
        Context=describe_context(context, meanings), Statement=statement, Specification=_fenced(candidate)
    )


def ask_equivalence(
    context: Mapping[str, object], meanings: Mapping[str, str], first: str, second: str
) -> str:
    """The user's prompt for judging two specifications; neither is called the reference."""
    shown = describe_context(context, meanings)
    return _sections(
        **{"Context": shown, "Specification A": _fenced(first), "Specification B": _fenced(second)}
    )


def _sections(**parts: str) -> str:
    return "\n\n".join(f"## {title}\n\n{text}" for title, text in parts.items()) + "\n"


def _fenced(text: str) -> str:
    """A fence longer than any run of backticks in the text, so that no candidate can break out of it."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"
