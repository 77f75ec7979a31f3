"""Every error of ours.

TruespecError
├── UsageError            the call is wrong: an unknown domain, a bad option
│   └── ContextError      a field of a context that its domain does not know, or of the wrong type
├── OracleError           the oracle or its context is unusable; blames nobody's candidate
├── SpecificationError    a text is outside its language; the candidate is then *invalid*
└── Undecided             a procedure stops without an answer; the pair is then *unknown*
    ├── Unsupported       a construct that cannot be decided, with its place
    ├── OutOfTime         the wall limit was reached
    ├── OutOfMemory       the memory cap was reached
    ├── Incomplete        the procedure gave up
    ├── Nondeterministic  a specification denotes several results
    └── ToolMissing       a tool is not installed, and how to get it

All survive a trip between processes, and carry a place where a text was involved.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from truespec.verdict.reason import OF_INVALID, ReasonCode


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a text: line and column, both counted from 1."""

    line: int
    """The line, from 1."""
    column: int
    """The column in code points, from 1."""
    in_file: bool = field(default=False, compare=False, repr=False)
    """Whether the text is a file, of which the first line is named too."""

    @classmethod
    def at(cls, text: str, offset: int) -> Place:
        """The place of the code point at `offset` in `text`.

        >>> Place.at("ab\\ncd", 4)
        Place(line=2, column=2)
        """
        before = text[: max(0, min(offset, len(text)))]
        return cls(before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)

    def __str__(self) -> str:
        line = f"line {self.line}, " if self.line > 1 or self.in_file else ""
        return f"{line}column {self.column}"


class TruespecError(Exception):
    """The base of all our errors: a message and, where a text was involved, a place in it."""

    def __init__(self, message: str, place: Place | None = None) -> None:
        super().__init__(message, place)
        self.message = message
        self.place = place

    def __str__(self) -> str:
        return f"{self.message} (at {self.place})" if self.place else self.message


class UsageError(TruespecError):
    """The call itself is wrong."""


class ContextError(UsageError):
    """A context has a field that its domain does not know, or of the wrong type; never ignored."""


class OracleError(TruespecError):
    """The oracle does not parse, its context is malformed, or its constraints contradict each other."""


class SpecificationError(TruespecError):
    """A text that is outside its language.

    The driver turns it into *invalid* for a candidate and into `OracleError` for an oracle.
    """

    def __init__(self, code: ReasonCode, message: str, place: Place | None = None) -> None:
        if code not in OF_INVALID:
            raise ValueError(f"{code!r} does not explain an invalid specification")
        super().__init__(message, place)
        self.args = (code, message, place)
        self.code = code


class Undecided(TruespecError):
    """A procedure stops without an answer."""

    code: ReasonCode = ReasonCode.INCOMPLETE
    """The reason code of the resulting *unknown*."""


class Unsupported(Undecided):
    """A construct that cannot be decided; the message names it."""

    code = ReasonCode.UNSUPPORTED


class OutOfTime(Undecided):
    """The wall limit was reached."""

    code = ReasonCode.TIMEOUT


class OutOfMemory(Undecided):
    """The memory cap was reached."""

    code = ReasonCode.MEMORY


class Incomplete(Undecided):
    """The procedure gave up, though limits were left."""

    code = ReasonCode.INCOMPLETE


class Nondeterministic(Undecided):
    """A specification denotes several results."""

    code = ReasonCode.NONDETERMINISTIC


class ToolMissing(Undecided):
    """A tool is not installed; the message says how to get it."""

    code = ReasonCode.UNAVAILABLE
