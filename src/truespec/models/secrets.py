"""Keys and passwords that must not reach a record, a report or a terminal."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

MARK = "<secret>"
"""What stands in place of a secret."""

_NAMED = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$", re.IGNORECASE)
_SHAPED = re.compile(
    r"\bsk-(?:[a-z]+-)*[A-Za-z0-9_-]{20,}"  # OpenAI, Anthropic, OpenRouter
    r"|\bAIza[A-Za-z0-9_-]{35}"  # Google
    r"|\bhf_[A-Za-z0-9]{30,}|\bgsk_[A-Za-z0-9]{30,}|\bxai-[A-Za-z0-9]{30,}"
    r"|\bgh[pousr]_[A-Za-z0-9]{36,}|\bAKIA[A-Z0-9]{16}\b"
    r"|(?<=Bearer )[A-Za-z0-9._~+/-]{20,}"
    r"|(?<=://)[^/\s:@]+:[^/\s:@]+(?=@)"  # a user and password in an address
)
_SHORTEST = 8


def conceal(text: str, environment: Mapping[str, str] | None = None) -> str:
    """The text without keys: values of `..._KEY` and the like in the environment, and what looks like one.

    >>> conceal("Incorrect API key provided: sk-proj-abcdefghijklmnopqrstuvwx")
    'Incorrect API key provided: <secret>'
    """
    known = os.environ if environment is None else environment
    values = [value for name, value in known.items() if _NAMED.search(name) and len(value) >= _SHORTEST]
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, MARK)
    return _SHAPED.sub(MARK, text)
