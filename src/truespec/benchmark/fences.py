"""Fenced code blocks of Markdown, as models write them."""

from __future__ import annotations

import re

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n`]*\n(.*?)^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)


def fenced_blocks(text: str) -> list[str]:
    """The contents of all closed fenced blocks, in order, without their last line break.

    >>> fenced_blocks("first\\n```python\\nx + 1\\n```\\nlast")
    ['x + 1']
    """
    lines = text.replace("\r\n", "\n")
    return [match.group(2).removesuffix("\n") for match in _FENCE.finditer(lines)]
