"""Texts that surely are regular expressions of PostgreSQL and of RE2, which DuckDB has; others may fail."""

from __future__ import annotations

import re

_ESCAPE = r"\\[dws!-/:-@\[-`{-~]"
_CLASS = rf"\[\^?(?:a-z|A-Z|0-9|{_ESCAPE}|[A-Za-z0-9 _%@,;:!#&'\"<>=~`/+*?(){{}}|$.])+-?\]"
_PIECE = rf"(?:[A-Za-z0-9 _%@,;:!#&'\"<>=~`/.-]|{_ESCAPE}|{_CLASS})(?:[*+?]|\{{[0-9]{{1,2}},?\}})?"
_BRANCH = rf"(?:\^|{_PIECE})(?:{_PIECE})*\$?"
_GROUP = rf"\((?:\?:)?{_BRANCH}(?:\|{_BRANCH})*\)[*+?]?"
REGULAR = re.compile(rf"(?:{_PIECE}|{_GROUP}|[\^$|]){{0,200}}\Z", re.ASCII)
"""Pieces, groups of pieces, and anchors."""
