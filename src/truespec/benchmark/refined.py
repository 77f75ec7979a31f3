"""Statements of our own for the regular expressions that `truespec data respecbench` selects."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from importlib.resources import files

from truespec.benchmark.task import Task

UPSTREAM = "upstream_statement"
"""The field of a refined task that keeps the statement as published."""
DIGITS = 16
"""Hexadecimal digits of an oracle's hash."""


@dataclass(frozen=True, slots=True)
class Refined:
    """What `nl_rx_refined.toml` holds."""

    opening: str
    """How each statement starts."""
    terms: Mapping[str, str]
    """The definition of each term, by a pattern that finds the term in a text."""
    texts: Mapping[str, str]
    """Which strings belong, by the hash of the oracle."""

    def statement(self, oracle: str) -> str | None:
        """The statement of an oracle, with the definitions of the terms that it uses."""
        text = self.texts.get(mark(oracle))
        if text is None:
            return None
        used = [meaning for term, meaning in self.terms.items() if re.search(term, text)]
        return " ".join([self.opening, text, *used])


@cache
def read_refined() -> Refined:
    """The statements that come with the package; `nl_rx_refined.toml` says how they were made."""
    text = files("truespec.benchmark.sources").joinpath("nl_rx_refined.toml").read_text("utf-8")
    record = tomllib.loads(text)
    return Refined(record["opening"], record["terms"], record["texts"])


def mark(oracle: str) -> str:
    """The hash by which the list names an oracle."""
    return sha256(oracle.encode()).hexdigest()[:DIGITS]


def refined(task: Task) -> Task:
    """The task with our statement and upstream's beside it; the same task where there is none."""
    statement = read_refined().statement(task.oracle)
    if statement is None:
        return task
    return replace(task, statement=statement, extra={**task.extra, UPSTREAM: task.statement})
