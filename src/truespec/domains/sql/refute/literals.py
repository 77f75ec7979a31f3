"""What the queries and constraints mention: values worth trying, and how many rows a condition asks for."""

from __future__ import annotations

import contextlib
import datetime
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from itertools import islice
from typing import Any

from sqlglot import exp

from truespec.domains.sql.engines.result import unaccented
from truespec.domains.sql.refute.documents import document_columns, keys_of
from truespec.domains.sql.refute.shapes import texts_of

Number = int | Decimal
MAX_LITERALS = 1_000
"""No more literals of a query are looked at."""
MAX_SHAPED = 60
"""No more texts are made for the shapes that conditions ask for."""
MAX_SPANS = 12
"""No more lengths of time are looked at."""
MAX_RENAMED = 3
"""No more names are followed, one behind the other."""
MAX_GROUP = 60
"""No more rows are asked for, whatever a HAVING or LIMIT says."""

_TOGETHER: tuple[Any, ...] = (exp.Predicate, exp.In, exp.Between, exp.Like, exp.Case, exp.If, exp.Is)
_PLACES: tuple[Any, ...] = (exp.Count, exp.RowNumber, exp.Rank, exp.DenseRank)
_LENGTHS = {"DAY": (1,), "WEEK": (7,), "MONTH": (28, 29, 30, 31), "YEAR": (365, 366)}
_OF_DATES: tuple[Any, ...] = (exp.Date, exp.TimeToStr, exp.TsOrDsToDate, exp.TsOrDsToTimestamp, exp.DateDiff)
_OF_DATES_BY_NAME = frozenset({"DATE", "DATETIME", "JULIANDAY", "STRFTIME", "UNIXEPOCH", "TIMEDIFF"})
_FOLDS: tuple[Any, ...] = (exp.Upper, exp.Lower, exp.Trim, exp.ILike)
_LOOKALIKES = {"k": "\u212a", "a": "\u212b", "o": "\u00f2", "e": "\u00e9", "i": "\u00ed", "u": "\u00fc"}
"""The signs of Kelvin and Angstrom, which LOWER makes letters, and letters with accents."""
_DATE = re.compile(r"(\d{4})-(\d{1,2})(?:-(\d{1,2}))?")


@dataclass(slots=True)
class Literals:
    """Values by class, and by the columns they are compared with."""

    numbers: set[Number] = field(default_factory=set)
    """Numbers, with their neighbours."""
    texts: set[str] = field(default_factory=set)
    """Texts, with texts that match the patterns."""
    dates: set[str] = field(default_factory=set)
    """ISO dates, with the days before and after."""
    by_column: dict[str, set[Number | str]] = field(default_factory=dict)
    """Values that stand in one condition with a column of this lower-case name."""
    exact: dict[str, set[Number | str]] = field(default_factory=dict)
    """Those of them that are written in the condition themselves."""
    shifts: list[int] = field(default_factory=list)
    """Numbers that are added to a column or subtracted from one."""
    spans: list[int] = field(default_factory=list)
    """Numbers of days between two dates that the queries tell from one more and one less."""
    dated: set[str] = field(default_factory=set)
    """Lower-case names of columns that a function of dates is given, by themselves or under another name."""
    divisors: set[str] = field(default_factory=set)
    """Lower-case names of columns that something is divided by."""
    documents: set[str] = field(default_factory=set)
    """Lower-case names of columns that a function of JSON is given."""
    keys: set[str] = field(default_factory=set)
    """Keys of JSON documents."""
    folds: bool = False
    """Whether a function makes texts alike that differ in case or in blanks."""
    rows: int = 0
    """The largest number that a condition on a COUNT or a place, a HAVING, a LIMIT or an OFFSET mentions."""


def collect(trees: Iterable[exp.Expr]) -> Literals:
    """The values that these queries or conditions mention."""
    found = Literals()
    trees = list(trees)
    around = _Around(frozenset(name for tree in trees for name in _numbered(tree)))
    found.spans = sorted({days for tree in trees for days in islice(_spans(tree), MAX_SPANS)})
    signs = any(tree.find(exp.Lower, exp.StrPosition) is not None for tree in trees)
    for tree in trees:
        found.dated |= _dated(tree)
        found.documents |= document_columns(tree)
        found.keys |= keys_of(tree)
        found.divisors |= _divisors(tree)
        found.folds = found.folds or tree.find(*_FOLDS) is not None
        found.texts.update(_cut(tree))
        for column, text in islice(texts_of(tree), MAX_SHAPED):
            found.by_column.setdefault(column, set()).add(text)
        for node in islice(tree.find_all(exp.Literal), MAX_LITERALS):
            values = _values(node)
            _add(found, values)
            if node.is_string and (day := as_date(str(node.name))) is not None:
                later = list(_away(day, found.spans))
                found.dates.update(later)
                values = [*values, *later]
            elif node.is_string:
                text = str(node.name)[:60]
                found.texts |= {text.swapcase(), text[:59] + "x", unaccented(text)}
                if signs:
                    found.texts |= {sign for value in values for sign in _with_signs(str(value))}
            columns = around.columns(node)
            if not node.is_string and isinstance(node.parent, exp.Add | exp.Sub) and node.name.isdigit():
                shift = int(node.name[:9])
                found.shifts += [] if shift in found.shifts else [shift, -shift]
            if not node.is_string and around.sums(node):
                values = [*values, *_parts(node)]
            for column in columns:
                found.by_column.setdefault(column, set()).update(values)
                found.exact.setdefault(column, set()).update(values[:1])
            if not node.is_string and around.counts(node):
                size = node.name
                if size.isdigit() and len(size) < 4:
                    found.rows = max(found.rows, min(int(size), MAX_GROUP))
        found.rows = max([found.rows, *(min(last, MAX_GROUP) for last in _lasts(tree))])
    return found


def _numbered(tree: exp.Expr) -> Iterator[str]:
    """Outputs that count rows or number them."""
    for alias in tree.find_all(exp.Alias):
        if alias.this.find(*_PLACES) is not None:
            yield alias.alias.lower()


def _dated(tree: exp.Expr) -> set[str]:
    """The columns that functions of dates are given, and what they are called where they come from."""
    found = {
        str(column.name).lower()
        for node in tree.find_all(*_OF_DATES, exp.Anonymous)
        if not isinstance(node, exp.Anonymous) or str(node.this).upper() in _OF_DATES_BY_NAME
        for column in node.find_all(exp.Column)
    }
    names = [
        (alias.alias.lower(), {str(column.name).lower() for column in alias.this.find_all(exp.Column)})
        for alias in tree.find_all(exp.Alias)
    ]
    for _ in range(MAX_RENAMED if found else 0):
        found |= {name for alias, columns in names if alias in found for name in columns}
    return found


def _divisors(tree: exp.Expr) -> set[str]:
    """The columns that something is divided by."""
    below = [division.expression for division in tree.find_all(exp.Div)]
    return {str(column.name).lower() for part in below for column in part.find_all(exp.Column)}


def _lasts(tree: exp.Expr) -> Iterator[int]:
    """The places of the last rows that a LIMIT with an OFFSET keeps."""
    for limit in tree.find_all(exp.Limit):
        offset = limit.parent.args.get("offset") if limit.parent is not None else None
        sizes = [part.expression.name for part in (limit, offset) if part is not None and part.expression]
        if all(size.isdigit() and len(size) < 4 for size in sizes):
            yield sum(map(int, sizes))


def _spans(tree: exp.Expr) -> Iterator[int]:
    """Days that an INTERVAL holds, or that a difference of dates is compared with."""
    for node in tree.find_all(exp.Interval):
        number, unit = str(node.this.name if node.this else ""), str(node.args.get("unit") or "DAY").upper()
        if number.isdigit() and len(number) < 5:
            for days in _LENGTHS.get(unit, ()):
                yield int(number) * days
    for difference in tree.find_all(exp.DateDiff, exp.TsOrDsDiff, exp.TimestampDiff):
        predicate = difference.find_ancestor(exp.Predicate)
        for literal in predicate.find_all(exp.Literal) if predicate is not None else ():
            if not literal.is_string and literal.name.isdigit() and len(literal.name) < 5:
                yield int(literal.name)


def _cut(tree: exp.Expr) -> Iterator[str]:
    """Texts that a CAST makes shorter."""
    for cast in islice(tree.find_all(exp.Cast), MAX_SPANS):
        for size in cast.to.expressions:
            if cast.to.this in exp.DataType.TEXT_TYPES and size.name.isdigit() and len(size.name) < 3:
                yield ("abcdefghij" * 10)[: int(size.name) + 1]


def _away(day: datetime.date, spans: Iterable[int]) -> Iterator[str]:
    """The days so far away in both directions, and those beside them."""
    for span in spans:
        for days in (span, span - 1, span + 1, -span, -span - 1, 1 - span):
            with contextlib.suppress(OverflowError):
                yield (day + datetime.timedelta(days=days)).isoformat()


def _with_signs(text: str) -> Iterator[str]:
    """A text with a sign or a letter that LOWER, or a collation, takes for one of its letters."""
    for letter in text:
        if letter.lower() in _LOOKALIKES:
            yield text.replace(letter, _LOOKALIKES[letter.lower()], 1)


def _add(found: Literals, values: list[Number | str]) -> None:
    for value in values:
        if not isinstance(value, str):
            found.numbers.add(value)
        elif _is_date(value):
            found.dates.add(value)
        else:
            found.texts.add(value)


def _values(node: exp.Literal) -> list[Number | str]:
    text = str(node.name)
    if node.is_string:
        moment = as_date(text)
        if moment:
            return [*neighbours(moment), *([text[:19]] if len(text) > 10 else [])]
        if re.fullmatch(r"-?\d{1,9}", text):
            return [text, int(text)]
        if isinstance(node.parent, exp.Like | exp.ILike):
            return _matching(text)
        return [text[:60]]
    try:
        number = Decimal(text)
    except InvalidOperation:
        return []
    # `abs` would round to the context and overflow on a huge exponent.
    if not number.is_finite() or number.adjusted() >= 9 or number.adjusted() < -12:
        return []
    if isinstance(node.parent, exp.Neg):
        number = -number
    if number == number.to_integral_value():
        whole = int(number)
        return [whole, whole + 1, whole - 1]
    return [number, number + 1, number - 1]


def _matching(pattern: str) -> list[Number | str]:
    """Texts that match a LIKE pattern, and one that nearly does."""
    plain = pattern.replace("\\", "")
    full = plain.replace("%", "").replace("_", "a")
    longer = plain.replace("%", "x").replace("_", "b")
    return [full[:60], longer[:60], ("z" + full)[:60], (full + "z")[:60]]


def as_date(text: str) -> datetime.date | None:
    """The date at the start of a text, a day of the month of `YYYY-MM`, or None."""
    found = _DATE.match(text.strip())
    if not found:
        return None
    try:
        return datetime.date(int(found.group(1)), int(found.group(2)), int(found.group(3) or 1))
    except ValueError:
        return None


def numeric_prefix(text: str) -> str:
    """The number at the start of a text, as MariaDB reads it beside a number; `0` where there is none."""
    found = re.match(r"\s*([+-]?\d+(\.\d*)?)", text, re.ASCII)
    return found.group(1) if found else "0"


def _is_date(text: str) -> bool:
    return as_date(text) is not None and len(text) >= 10


def neighbours(day: datetime.date) -> list[Number | str]:
    """The day, those beside it, and others that calendars tell apart."""
    found: list[Number | str] = []
    for days in (0, -1, 1, 30, -30, 365, 7):
        try:
            found.append((day + datetime.timedelta(days=days)).isoformat())
        except OverflowError:
            continue
    return found


@dataclass(frozen=True, slots=True)
class _Facts:
    columns: frozenset[str]
    counts: bool
    sums: bool


class _Around:
    """What stands around a literal; each condition is walked once, however many literals it holds."""

    def __init__(self, numbered: frozenset[str]) -> None:
        self._numbered = numbered
        self._known: dict[int, _Facts] = {}

    def _facts(self, node: Any) -> _Facts:
        found = self._known.get(id(node))
        if found is None:
            columns: set[str] = set()
            counts = sums = False
            for part in node.walk():
                if isinstance(part, exp.Column):
                    columns.add(str(part.name).lower())
                counts = counts or isinstance(part, (*_PLACES, exp.Having))
                sums = sums or isinstance(part, exp.Sum | exp.Avg)
            found = self._known[id(node)] = _Facts(frozenset(columns), counts, sums)
        return found

    def columns(self, node: exp.Expr) -> frozenset[str]:
        """The names of the columns in the innermost condition around a literal."""
        around: Any = node
        for _ in range(6):
            if around.parent is None or isinstance(around, exp.Query):
                break
            if isinstance(around, _TOGETHER):
                names = self._facts(around).columns
                if names:
                    return names
            around = around.parent
        return frozenset()

    def sums(self, node: exp.Expr) -> bool:
        """Whether a number is compared with a sum or an average."""
        return isinstance(node.parent, exp.Predicate) and self._facts(node.parent).sums

    def counts(self, node: exp.Expr) -> bool:
        """Whether a number limits how many rows or how large a group there is."""
        around: Any = node.parent
        for _ in range(4):
            if around is None or isinstance(around, exp.Select):
                return False
            if isinstance(around, exp.Limit | exp.Offset | exp.Fetch | exp.Having):
                return True
            if isinstance(around, exp.Predicate):
                facts = self._facts(around)
                return facts.counts or bool(facts.columns & self._numbered)
            around = around.parent
        return False


def _parts(node: exp.Literal) -> list[Number | str]:
    """Numbers that a few of make up the literal."""
    if not node.name.isdigit() or len(node.name) > 8:
        return []
    whole = int(node.name)
    return [whole // 2, whole - whole // 2, whole // 3, whole // 4, whole * 2]
