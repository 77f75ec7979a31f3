"""The prompts: three roles (answer, formalization, equivalence) by five domains, the paper's fifteen.

A role's Markdown file holds its rubric; the description of the language comes from `benchmark/prompts/`. One
more prompt, `refine.md`, makes statements more specific. A folder with files of the same names stands in for
them (`read_prompts`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from functools import cache
from importlib.resources import files
from pathlib import Path

from truespec.benchmark.prompts import describe_context, language
from truespec.benchmark.task import Task, shown_context
from truespec.untrusted.inputs import text_of
from truespec.verdict import UsageError


class Role(Enum):
    """What a model is asked to do."""

    ANSWER = "answer"
    """Write a specification for a statement."""
    FORMALIZATION = "formalization"
    """Judge a specification against its statement."""
    EQUIVALENCE = "equivalence"
    """Judge two specifications against each other."""


LANGUAGE = "{language}"
"""The place of the language's description in a role's prompt."""


def system(role: Role, domain: str, own: Mapping[str, str] | None = None) -> str:
    """The system prompt of a role in a domain; `own` holds the texts of roles that replace the package's."""
    text = (own or {}).get(role.value) or _text(role.value)
    return text.replace(LANGUAGE, language(domain))


def refining(domain: str) -> str:
    """The system prompt for making a statement of a domain more specific, given its reference."""
    return _text("refine").replace(LANGUAGE, language(domain))


@cache
def _text(name: str) -> str:
    return files(__package__).joinpath(f"{name}.md").read_text("utf-8")


def read_prompts(folder: Path) -> dict[str, str]:
    """The prompts of a folder by role: any of `answer.md`, `formalization.md` and `equivalence.md`.

    Raises `UsageError` for a folder without one, a file of another name, and a prompt without `{language}`,
    where the description of the specification language goes.
    """
    expected = ", ".join(f"{role.value}.md" for role in Role)
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder: expected one that holds any of {expected}")
    found: dict[str, str] = {}
    for path in sorted(folder.glob("*.md")):
        if path.stem not in {role.value for role in Role}:
            raise UsageError(f"{path}: no prompt has this name: expected {expected}")
        found[path.stem] = text_of(path)
        if LANGUAGE not in found[path.stem]:
            raise UsageError(
                f"{path} lacks {LANGUAGE}: write it where the description of the language is to stand"
            )
    if not found:
        raise UsageError(f"{folder} holds no prompt: expected any of {expected}")
    return found


def ask_answer(
    statement: str,
    context: Mapping[str, object],
    meanings: Mapping[str, str],
    examples: Sequence[Task] = (),
) -> str:
    """The user's prompt for writing a specification, after solved examples of the same domain."""
    shown = {
        f"Example {number}": _sections(
            "###",
            Context=describe_context(shown_context(task), meanings_of(task)),
            Statement=task.statement,
            Answer=_fenced(task.oracle),
        ).rstrip()
        for number, task in enumerate(examples, 1)
    }
    return _sections("##", **shown, Context=describe_context(context, meanings), Statement=statement)


def ask_again(
    task: Task, examples: Sequence[Task], attempt: int, reply: str, candidate: str | None, feedback: str
) -> str:
    """The user's prompt for repairing an answer: the task, the answer before, and the feedback on it.

    `attempt` is the number of the answer before, from 1; a reply without a specification is shown whole.
    """
    before = _fenced(reply if candidate is None else candidate)
    first = ask_answer(task.statement, shown_context(task), meanings_of(task), examples)
    again = {
        f"Your answer, attempt {attempt}": before,
        "What is known of it": feedback,
        "Now": "Write the specification again, whole, in the form that was asked for.",
    }
    return first + "\n" + _sections("##", **again)


def meanings_of(task: Task) -> Mapping[str, str]:
    """What the names of a task's context stand for, as far as the task says."""
    meanings = task.extra.get("meanings")
    return meanings if isinstance(meanings, Mapping) else {}


def ask_formalization(
    statement: str, context: Mapping[str, object], meanings: Mapping[str, str], candidate: str
) -> str:
    """The user's prompt for judging a specification against its statement."""
    return _sections(
        "##",
        Context=describe_context(context, meanings),
        Statement=statement,
        Specification=_fenced(candidate),
    )


def ask_equivalence(
    context: Mapping[str, object], meanings: Mapping[str, str], first: str, second: str
) -> str:
    """The user's prompt for judging two specifications; neither is called the reference."""
    shown = describe_context(context, meanings)
    return _sections(
        "##", **{"Context": shown, "Specification A": _fenced(first), "Specification B": _fenced(second)}
    )


def _sections(mark: str, **parts: str) -> str:
    return "\n\n".join(f"{mark} {title}\n\n{text}" for title, text in parts.items()) + "\n"


def _fenced(text: str) -> str:
    """A fence longer than any run of backticks in the text, so that no candidate can break out of it."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"
