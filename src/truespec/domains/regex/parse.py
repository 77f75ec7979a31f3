"""The context of a regex pair, and reading a text in its dialect."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from unicodedata import unidata_version

from truespec.domains.regex import deepregex_dialect, python_dialect
from truespec.domains.regex.syntax import Pattern, deep_stack
from truespec.verdict import OracleError, ToolMissing

VERSION = re.compile(r"\d+\.\d+\.\d+", re.ASCII)
"""How a version of Unicode is written."""


@dataclass(frozen=True, slots=True)
class Context:
    """How both texts of a pair are read."""

    dialect: str = "python"
    """`python` or `deepregex`."""
    alphabet: str = "unicode"
    """`unicode` (code points 0 to 0x10FFFF) or `ascii` (0 to 127)."""
    match: str = "full"
    """`full`, or `search`: the strings in which the pattern matches somewhere."""
    flags: str = ""
    """Letters of `imsxau`, for the python dialect."""
    boundary: str = "word"
    r"""What `\b` means in the deepregex dialect: `word`, `ignore`, `anchor` or `literal`."""
    unicode: str = unidata_version
    """The version of Unicode whose tables decide, e.g. `14.0.0`; only the interpreter's can be had."""

    def __post_init__(self) -> None:
        for name, allowed in _ALLOWED.items():
            value = getattr(self, name)
            if value not in allowed:
                raise OracleError(f"context: {name!r} is {value!r}, expected one of {', '.join(allowed)}")
        unknown = sorted(set(self.flags) - set(python_dialect.FLAGS))
        if unknown:
            raise OracleError(
                f"context: unknown flags {', '.join(unknown)} in 'flags', expected some of imsxau"
            )
        if {"a", "u"} <= set(self.flags):
            raise OracleError("context: the flags 'a' and 'u' exclude each other")
        if self.dialect == "deepregex" and (self.flags or self.match != "full"):
            raise OracleError("context: the deepregex dialect matches whole lines and has no flags")
        if self.dialect == "python" and self.boundary != "word":
            raise OracleError(
                "context: 'boundary' is of the deepregex dialect; in python, \\b is a word boundary"
            )
        if not VERSION.fullmatch(self.unicode):
            raise OracleError(f"context: 'unicode' is {self.unicode!r:.60}, expected e.g. 15.0.0")
        if self.unicode != unidata_version:
            raise ToolMissing(
                f"the context asks for Unicode {self.unicode}; this Python has {unidata_version}: "
                "run under a Python whose unicodedata.unidata_version is that, or leave 'unicode' out"
            )


_ALLOWED = {
    "dialect": ("python", "deepregex"),
    "alphabet": ("unicode", "ascii"),
    "match": ("full", "search"),
    "boundary": deepregex_dialect.BOUNDARIES,
}


def read_context(raw: Mapping[str, object]) -> Context:
    """The context of a pair record."""
    fields: dict[str, str] = {}
    for name in ("dialect", "alphabet", "match", "flags", "boundary", "unicode"):
        value = raw.get(name)
        if value is None:
            continue
        if not isinstance(value, str):
            raise OracleError(f"context: {name!r} is a string, not {type(value).__name__}")
        fields[name] = value.lower() if name == "flags" else value
    return Context(**fields)


def parse(text: str, context: Context) -> Pattern:
    """Read a text in the dialect of the context."""
    if context.dialect == "deepregex":
        return deepregex_dialect.parse(text, context.boundary, context.alphabet == "ascii")
    with deep_stack():
        return python_dialect.parse(text, context.flags)
