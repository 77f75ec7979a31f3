"""Where each data set is published: the pins of `pins.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from truespec.benchmark.sources.registry import SOURCES
from truespec.verdict import UsageError


@dataclass(frozen=True, slots=True)
class Pin:
    """One data set at one commit of its public repository."""

    source: str
    """The name that `truespec data import` knows it by."""
    repository: str
    """Owner and name on GitHub."""
    commit: str
    """The commit, 40 hexadecimal digits."""
    licence: str
    """What upstream allows, in a few words."""
    files: Mapping[str, str] = field(default_factory=dict)
    """File name to SHA-256."""
    tree: bool = False
    """Whether every file of the repository is kept; else only `files`."""
    note: str = ""
    """What the repository lacks, and where that is."""
    unavailable: str = ""
    """Why the set cannot be downloaded by us, and how to get it."""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[0-9a-f]{40}", self.commit) or not re.fullmatch(
            r"[\w.-]+/[\w.-]+", self.repository
        ):
            raise ValueError(f"{self.source}: {self.repository} @ {self.commit} is no pin")
        if bool(self.files) == bool(self.unavailable):
            raise ValueError(f"{self.source}: a pin has checksums, or says why it has none")


FORMATS = {"declare": "put your own *.decl models into a folder for 'data import'"}
"""Sources that are a format and no data set, and where their files come from."""


@cache
def pins() -> Mapping[str, Pin]:
    """The pins by data set."""
    text = files(__package__).joinpath("pins.toml").read_text("utf-8")
    return {name: Pin(name, **entry) for name, entry in tomllib.loads(text).items()}


def pin(source: str) -> Pin:
    """The pin of a data set; `UsageError` for an unknown name or a set that must be fetched by hand."""
    if source not in SOURCES:
        raise UsageError(f"unknown data set {source!r}: expected one of {', '.join(SOURCES)}")
    if source in FORMATS:
        raise UsageError(f"{source} is not published as a data set: {FORMATS[source]}")
    found = pins()[source]
    if found.unavailable:
        where = f"{found.repository} @ {found.commit} ({found.licence})"
        raise UsageError(
            f"{source} is published at {where}, but not downloaded from here: {found.unavailable}"
        )
    return found
