"""Values of types that are neither numbers, texts nor moments, as the texts that engines read them from."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Any

from truespec.domains.sql.engines.script import Value
from truespec.domains.sql.refute.literals import Literals

Pick = Callable[[int, Random], Value]
"""A value, from how many small ones there are."""

MAX_KEYS = 24
"""No more keys are written into one document."""
MAX_DEPTH = 3
"""How deep documents are nested."""
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z", re.IGNORECASE)
_LETTERS = "abcdefgh"
_SPANS = ("1 day", "2 days", "1 hour", "2 hours", "90 minutes", "15 minutes", "1 month", "0 seconds")
_DAYS = ("2020-01-01", "2020-01-02", "2020-01-05", "2020-02-01", "2020-03-01", "2021-01-01")


def picker(written: str, mentioned: Iterable[Any], literals: Literals, *, braces: bool) -> Pick | None:
    """How values of a type are picked; None for a type of which no value is known.

    `written` is the type as the DDL has it, `braces` whether lists are written in braces.
    """
    name = " ".join(written.upper().replace('"', "").split())
    values = [value for value in mentioned if isinstance(value, str)]
    if name.endswith("[]"):
        element = _element(name.removesuffix("[]"), mentioned, literals)
        return None if element is None else _list(element, "{}" if braces else "[]")
    if name in ("JSON", "JSONB"):
        return documents(literals)
    if name.startswith("STRUCT("):
        return _struct(written, literals)
    if name.startswith("MAP("):
        return _map(name, literals)
    if name.startswith("SET("):
        members = [member.strip().strip("'") for member in written[4:-1].split(",")]
        return lambda many, random: ",".join(member for member in members if random.random() < 0.5)
    if name.startswith("BIT"):
        return _bits(name, braces)
    if name == "UUID":
        own = [value for value in values if _UUID.match(value)]
        return _either(own, lambda many, random: f"00000000-0000-4000-8000-{random.randrange(many + 1):012d}")
    if name == "YEAR":
        years = [value for value in mentioned if isinstance(value, int) and 1901 <= value <= 2155]
        return _either(years, lambda many, random: 2018 + random.randrange(many + 1))
    for pattern, known in _BY_NAME:
        if re.match(pattern, name):
            return _of(known)
    return None


def _of(known: Sequence[Value]) -> Pick:
    return lambda many, random: known[random.randrange(min(len(known), max(2, many)))]


_RANGES = ("[1,3)", "[2,5)", "[1,10)", "[4,6)", "empty")
_BY_NAME: Sequence[tuple[str, Sequence[Value]]] = (
    (r"INTERVAL", _SPANS),
    (r"(TINY|MEDIUM|LONG)?BLOB|BYTEA|(VAR)?BINARY", ("a", "b", "ab", "A", "c")),
    (r"(INT4|INT8|NUM)RANGE", _RANGES),
    (
        r"DATERANGE",
        ("[2020-01-01,2020-02-01)", "[2020-01-15,2020-03-01)", "[2020-02-01,2020-03-01)", "empty"),
    ),
    (r"TSRANGE", ("[2020-01-01 00:00:00,2020-01-02 00:00:00)", "[2020-01-01 12:00:00,2020-01-03 00:00:00)")),
    (r"TIMETZ|TIME WITH TIME ZONE", ("10:00:00+00", "11:30:00+00", "10:00:00+02", "00:00:00+00")),
    (r"TIMESTAMP", tuple(f"{day} {hour}:00:00" for day in _DAYS for hour in ("00", "10"))),
    (r"INET|CIDR", ("10.0.0.1", "10.0.0.2", "192.168.0.1")),
    (r"MACADDR", ("08:00:2b:01:02:03", "08:00:2b:01:02:04")),
    (r"MONEY|OID", (1, 2, 3, 0, 10)),
    (r"CHAR$", tuple(_LETTERS)),
    (r"XML", ("<a/>", "<b/>", "<a>1</a>")),
    (r"POINT", ("(1,2)", "(2,1)", "(0,0)")),
)
"""Types by the beginning of their name, each with values from the plainest on."""


def _either(own: Sequence[Value], other: Pick) -> Pick:
    return lambda many, random: random.choice(own) if own and random.random() < 0.6 else other(many, random)


def _bits(name: str, strings: bool) -> Pick:
    """Bits: a text of so many, or a number where the engine stores them as one."""
    found = re.search(r"\((\d+)\)", name)
    size = int(found[1]) if found else 1
    if found and not strings:
        return lambda many, random: random.randrange(min(2**size, many + 1))
    return lambda many, random: f"{random.randrange(min(2**size, many + 1)):0{size}b}"


def _element(name: str, mentioned: Iterable[Any], literals: Literals) -> Pick | None:
    """A member of a list, by its type."""
    if re.match(r"U?(TINY|SMALL|MEDIUM|BIG|HUGE)?INT(EGER|[248])?$|DEC|NUM|DOUBLE|FLOAT|REAL", name):
        numbers = sorted({value for value in (*mentioned, *literals.numbers) if isinstance(value, int)})
        return _either(numbers, lambda many, random: random.randrange(many + 1))
    if re.match(r"TEXT|(VAR)?CHAR|STRING", name):
        plain = sorted(text for text in literals.texts if text.isalnum())
        return _either(plain, lambda many, random: _LETTERS[random.randrange(min(many, 8))])
    if name == "DATE":
        return _of(_DAYS)
    return None


def _list(element: Pick, signs: str) -> Pick:
    def pick(many: int, random: Random) -> Value:
        members = [str(element(many, random)) for _ in range(random.choice((0, 1, 2, 2, 3)))]
        return signs[0] + ", ".join(members) + signs[1]

    return pick


def _map(name: str, literals: Literals) -> Pick | None:
    """A map of one key, or of none."""
    key, _, value = name[len("MAP(") : -1].partition(",")
    keys, values = _element(key.strip(), (), literals), _element(value.strip(), (), literals)
    if keys is None or values is None:
        return None
    return lambda many, random: f"{{{keys(many, random)}={values(many, random)}}}" if many > 1 else "{}"


def _struct(written: str, literals: Literals) -> Pick | None:
    """A structure of plain fields."""
    fields: list[tuple[str, Pick]] = []
    for part in written[written.index("(") + 1 : -1].split(","):
        name, _, kind = part.strip().partition(" ")
        element = _element(kind.upper(), (), literals)
        if element is None:
            return None
        fields.append((name.strip('"'), element))
    return lambda many, random: (
        "{" + ", ".join(f"'{name}': {one(many, random)}" for name, one in fields) + "}"
    )


def documents(literals: Literals) -> Pick:
    """JSON: objects of the keys that the queries name, lists of them, and plain values."""
    keys = sorted(literals.keys)[:MAX_KEYS]
    texts = sorted(text for text in literals.texts if 0 < len(text) < 20)
    numbers = sorted({value for value in literals.numbers if isinstance(value, int)})

    def plain(many: int, random: Random) -> Any:
        chance = random.random()
        if texts and chance < 0.25:
            return random.choice(texts)
        if numbers and chance < 0.45:
            return random.choice(numbers)
        small = random.randrange(many + 1)
        return random.choice((small, small, small, small + 0.5, str(small), _LETTERS[small % 8], None, True))

    def made(many: int, random: Random, depth: int) -> Any:
        chance = random.random()
        if depth >= MAX_DEPTH or (depth and chance < 0.75):
            return plain(many, random)
        if keys and chance < 0.9:
            return {key: made(many, random, depth + 1) for key in keys if random.random() < 0.85}
        return [made(many, random, depth + 1) for _ in range(random.choice((0, 1, 2, 3)))]

    return lambda many, random: json.dumps(made(many, random, 0), ensure_ascii=False)
