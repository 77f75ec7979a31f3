"""How hard a task is, by the size of its oracle."""

from __future__ import annotations

import re

_WORD = re.compile(r"'[^']*'|\"[^\"]*\"|\w+|[^\s\w(),;\[\]]+")
_PIECE = re.compile(r"\\.|\{[^}]*\}|\(\?[:=!<>a-zA-Z-]+|[^\s()]")


def difficulty(domain: str, oracle: str) -> int:
    """The number of words and operators in the oracle; of letters, classes and operators in a pattern.

    Grouping and separators do not count. Sizes compare within a domain, not between domains.

    >>> difficulty("fol", "∀x (Dog(x) → Barks(x))"), difficulty("regex", r"(?:\\d{2}|x)+")
    (7, 6)
    """
    return len((_PIECE if domain == "regex" else _WORD).findall(oracle))
