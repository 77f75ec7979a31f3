"""Names of tools that are written alike: by case, width, marks or script, or with where they come from."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

_CAPITALS = str.maketrans(
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7", "abezhikmnoptyx"
)
"""Greek capitals that look like Latin ones, and whose small letters look like others."""
_LETTERS = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u04bb\u051b\u051d"
    "\u043a\u043c\u0442\u043d\u0432\u03b1\u03bf\u03c1\u03bd\u03b9\u03ba\u03c4\u03c5\u03c7"
    "\u0131\u0261\u0251\u0585\u057d\u0578"
    "\u0280\u0274\u029f\u026a\u0299\u0262\u029c\u028f\u1d00\u1d04\u1d05\u1d07\u1d0a\u1d0b"
    "\u1d0d\u1d0f\u1d18\u1d1b\u1d1c\u1d20\u1d21\u1d22"
    "\ua4d0\ua4d1\ua4d3\ua4d4\ua4d6\ua4d7\ua4d9\ua4da\ua4dc\ua4dd\ua4df\ua4e0\ua4e1\ua4e2"
    "\ua4e3\ua4e6\ua4e7\ua4ea\ua4eb\ua4ec\ua4ee\ua4f0\ua4f2\ua4f3\ua4f4"
    "\u13a0\u13a1\u13a2\u13a5\u13aa\u13ab\u13ac\u13b3\u13b7\u13bb\u13bd\u13c0\u13c3\u13e2"
    "\u13d9\u13da\u13de\u13df\u13d4\u13d2\u13e6\u13f4",
    "aeopcyxijsdhqwkmthbaopviktuxigaounrnlibghyacdejkmoptuvwzbpdtgkjczfmnlsrvhwxyaeioudrtiajewmhygzpvslcwrkb",
)
"""Small letters of other scripts, and letters of scripts without capitals, that look like Latin ones."""
_PLAIN = {code: chr(code).lower() if chr(code).isalnum() else None for code in range(128)}
"""What becomes of a character of ASCII, where a name has no others."""


def folded(name: str) -> str:
    """A name without what tells look-alikes apart: case, width, marks, script, spaces, separators.

    >>> folded("R\u0435\u200bfund ") == folded("refund")
    True
    """
    if name.isascii():
        return name.translate(_PLAIN)
    wide = unicodedata.normalize("NFKD", name).translate(_CAPITALS).casefold().translate(_LETTERS)
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
