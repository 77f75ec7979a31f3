"""Names of tools that are written alike: by case, width, marks or script, or with where they come from."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

_LETTERS = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u04bb\u051b\u051d"
    "\u043a\u043c\u0442\u043d\u0432\u03b1\u03bf\u03c1\u03bd\u03b9\u03ba\u03c4\u03c5\u03c7"
    "\u0131\u0261\u0251\u0585\u057d\u0578",
    "aeopcyxijsdhqwkmthbaopviktuxigaoun",
)
"""Small letters of other scripts that look like Latin ones."""


def folded(name: str) -> str:
    """A name without what tells look-alikes apart: case, width, marks, script, spaces, separators.

    >>> folded("R\u0435\u200bfund ") == folded("refund")
    True
    """
    wide = unicodedata.normalize("NFKD", name).casefold().translate(_LETTERS)
    return "".join(c for c in wide if c.isalnum())


_SEPARATOR = re.compile(r"__|[./:]")
"""What stands between a tool and the names of where it comes from, as in `mcp__server__tool`."""


def forms_of(tool: str) -> tuple[str, ...]:
    """The folded names under which a tool may be known: the whole, and the part after where it comes from."""
    return folded(tool), folded(_SEPARATOR.split(tool)[-1])


def like(tool: str, known: Mapping[str, str]) -> str | None:
    """Which of the known names (by their folded form) a tool's name is written like; None where it is none.

    >>> like("mcp__shop__Refund", {"refund": "refund"})
    'refund'
    """
    return next((known[form] for form in forms_of(tool) if form in known), None)
