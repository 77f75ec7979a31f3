"""What the verifiers say for a task: that its oracle is no accident, and that its details matter."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from truespec.benchmark.bundled import BundledTask, Writing
from truespec.version import __version__

CERTIFIED = (Writing.REWRITTEN, Writing.CARELESS)
"""The recorded answers that a certificate is about."""
WRONG_FORMS = 2
"""So many written wrong forms have to be refuted."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """The verdicts on one task. Numbers of answers are those of the task's file, from 1."""

    task: str
    """The task's id."""
    key: str
    """The content it was made for: see `content_key`."""
    version: str
    """The version of truespec that made it."""
    same: str
    """The answer on the oracle against itself."""
    trivial: Mapping[str, str]
    """The answer on each specification that says nothing, by its name."""
    right: Mapping[str, str]
    """The answer on each right form, by its number."""
    wrong: Mapping[str, str]
    """The answer on each wrong form, by its number."""
    rewritings: Mapping[str, int] = field(default_factory=dict)
    """How often which answer was given on forms made by a law of the language."""
    mutants: Mapping[str, int] = field(default_factory=dict)
    """How often which answer was given on the oracle with one slip."""
    broken: str = ""
    """Why the oracle or its context is unusable; empty for a usable one."""

    def gaps(self, *, written: bool = True) -> list[str]:
        """What is not shown, each in a few words; none for a complete certificate.

        Without `written`, right and wrong forms written by hand are not asked for.
        """
        if self.broken:
            return []
        found = [] if self.same == "equivalent" else [f"the oracle against itself: {self.same}"]
        if self.differs_from_constants() is False:
            found.append(f"the oracle may say nothing: {dict(self.trivial)}")
        if written and "equivalent" not in self.right.values():
            found.append("no right form is proved")
        refuted = sum(answer == "refuted" for answer in self.wrong.values())
        if written and refuted < WRONG_FORMS:
            found.append(f"only {refuted} wrong forms are refuted")
        if self.rewritings and not self.rewritings.get("equivalent"):
            found.append("no rewriting is proved")
        if self.mutants and not self.mutants.get("refuted"):
            found.append("no mutant is refuted")
        return found

    def contradictions(self) -> list[str]:
        """Verdicts that contradict what an answer was written to be: the task or a verifier is wrong."""
        found = [f"broken: {self.broken}"] if self.broken else []
        if self.same == "refuted":
            found.append("the oracle differs from itself")
        found += [
            f"right form {n} is {one}" for n, one in self.right.items() if one in ("refuted", "invalid")
        ]
        found += [
            f"wrong form {n} is {one}" for n, one in self.wrong.items() if one in ("equivalent", "invalid")
        ]
        if self.rewritings.get("refuted"):
            found.append("a rewriting is refuted")
        return found

    def undecided(self) -> int:
        """How many of its verdicts are `unknown`: what a stronger verifier or a longer limit may decide."""
        named = [self.same, *self.trivial.values(), *self.right.values(), *self.wrong.values()]
        counted = (self.rewritings.get("unknown", 0), self.mutants.get("unknown", 0))
        return named.count("unknown") + sum(counted)

    def differs_from_constants(self) -> bool:
        """Whether the oracle differs from all that says nothing; for expressions, from two constants."""
        return bool(self.trivial) and all(answer == "refuted" for answer in self.trivial.values())

    def to_json(self) -> dict[str, object]:
        """The line of the certificate's file."""
        record = asdict(self)
        if not self.broken:
            del record["broken"]
        return record

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Certificate:
        """A certificate from its line."""
        return cls(**record)


def content_key(entry: BundledTask) -> str:
    """A digest of what a certificate rests on: language, context, oracle, answers with their labels."""
    task = entry.task
    answers = [[answer.text, answer.written.value] for answer in entry.answers]
    text = json.dumps([task.domain, task.oracle, task.context, answers], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


def is_current(certificate: Certificate | None, entry: BundledTask) -> bool:
    """Whether a certificate was made for this content by this version."""
    return (
        certificate is not None
        and certificate.key == content_key(entry)
        and certificate.version == __version__
    )


@cache
def certificates(domain: str) -> dict[str, Certificate]:
    """The certificates that come with the package, by task."""
    file = files("truespec.benchmark.bundled").joinpath("certificates", f"{domain}.jsonl")
    return _read(file.read_text(encoding="utf-8")) if file.is_file() else {}


def read(path: Path) -> dict[str, Certificate]:
    """The certificates of a file, by task; none where there is no file."""
    return _read(path.read_text(encoding="utf-8")) if path.exists() else {}


def write(path: Path, found: Iterable[Certificate]) -> None:
    """Write certificates, one a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(one.to_json(), ensure_ascii=False) + "\n" for one in found]
    path.write_text("".join(lines), encoding="utf-8")


def _read(text: str) -> dict[str, Certificate]:
    every = [Certificate.from_json(json.loads(line)) for line in text.splitlines()]
    return {one.task: one for one in every}
