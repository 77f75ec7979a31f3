"""Lexer against engine: random texts through the four engines, as given and as rendered from our tokens.

Each text is hostile on purpose: comments, quotes, blanks, prefixes, operators and numbers side by side. Bars:
where the lexer stops, the engine rejects the text; where it reads the text, the engine accepts the text as
given, the rendered text and the text with blanks between all tokens, with equal rows, or rejects all three.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from random import Random

from truespec.domains.sql.engines import registry
from truespec.domains.sql.engines.contract import Settings, Stopped
from truespec.domains.sql.text.lexer import Lexeme, Shape, lex
from truespec.verdict import SpecificationError, ToolMissing, Unsupported

COUNT = 20_000
QUICK = 400
TABLE = ("CREATE TABLE t (a INT, b INT)", "INSERT INTO t VALUES (1, 2), (3, NULL)")
PIECES = (
    *(
        "a",
        "b",
        "t.a",
        "1",
        "2.5",
        ".5",
        "1e1",
        "0x4A",
        "x'41'",
        "b'1'",
        "N'n'",
        "'s'",
        "'it''s'",
        '"d"',
        "`a`",
    ),
    *(
        "[a]",
        "E'e\\n'",
        "$$q$$",
        "$t$ ' $t$",
        "'\\\\'",
        "'\\''",
        "'--'",
        "'/*'",
        "1a",
        "0b1",
        "1_0",
        "_utf8'u'",
    ),
    *(
        "+",
        "-",
        "--",
        "-- ",
        "--\n",
        "---1\n",
        "#",
        "# c\n",
        "/",
        "/*",
        "*/",
        "/* c */",
        "/*/* n */*/",
        "/**/",
    ),
    *(
        "/* ' */",
        '/* " */',
        "-- '\n",
        "*",
        "%",
        "||",
        "&&",
        "<",
        "<=>",
        "<>",
        "!=",
        "=",
        "==",
        "<-",
        "@-",
        "~",
    ),
    *(
        "::int",
        "->",
        "|",
        "&",
        "<<",
        "^",
        "!",
        "(",
        ")",
        ",",
        ", ",
        " ",
        "\n",
        "\t",
        "\v",
        "\f",
        "\r",
        "\x01",
    ),
    *(
        "\u00a0",
        "\u2003",
        "\u3000",
        "\ufeff",
        "\u200b",
        "\x7f",
        "\u00e9",
        "\U0001f600",
        "AS c",
        " AND ",
        "{",
        "}",
    ),
    *("'x' 'y'", "'x'\n'y'", "'x'/*\n*/'y'", "\\", "/*+ h */", "'", '"', "`", "$", ".", "..", ":", ";"),
)


def main(arguments: list[str] | None = None) -> None:
    """Print the attempts and finds of each engine; exit 1 where there is a find."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks sqltext")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} texts")
    parser.add_argument("--count", type=int, default=COUNT, help="texts over the four engines")
    parser.add_argument("--seed", type=int, default=1, help="of the random texts")
    parser.add_argument("--dialect", action="append", choices=list(registry.ENGINES), help="this one alone")
    options = parser.parse_args(arguments)
    count = (QUICK if options.quick else options.count) // len(registry.ENGINES)
    finds: list[str] = []
    for dialect in options.dialect or registry.ENGINES:
        try:
            seen, found = attack(dialect, count, options.seed)
        except ToolMissing as missing:
            print(f"{dialect:9} not run: {missing}")
            continue
        shown = ", ".join(f"{number} {what}" for what, number in sorted(seen.items()))
        print(f"{dialect:9} {count} texts: {shown}; {len(found)} finds", flush=True)
        finds += found
        print("\n".join(found[:20]), flush=True)
    if finds:
        sys.exit(1)


def attack(dialect: str, count: int, seed: int) -> tuple[Counter[str], list[str]]:
    """How the texts of one engine ended, and where the lexer and the engine differ."""
    seen: Counter[str] = Counter()
    finds: list[str] = []
    for text in texts(count, Random(f"{dialect} {seed}")):
        try:
            lexemes = lex(text, dialect).lexemes
        except Unsupported:
            seen["not read"] += 1
            continue
        except SpecificationError as error:
            seen["stopped"] += 1
            if accepted(text, dialect):
                finds.append(f"accepted, but the lexer stops: {text!r}: {error.message}")
            continue
        if any(lexeme.shape is Shape.PARAMETER or lexeme.text == ";" for lexeme in lexemes):
            seen["no query"] += 1
            continue
        try:
            given = rows(text, dialect)
            seen["rejected" if given is None else "accepted"] += 1
            for what, other in (("rendered", lex(text, dialect).rendered), ("spaced", spaced(text, lexemes))):
                if rows(other, dialect) != given:
                    finds.append(f"{what} otherwise: {text!r}: {other!r}")
                    break
        except Stopped:
            seen["too slow to compare"] += 1
    return seen, finds


def accepted(text: str, dialect: str) -> bool:
    """Whether the engine yields rows for a text; a text it does not finish is none it refuses."""
    try:
        return rows(text, dialect) is not None
    except Stopped:
        return False


def texts(count: int, random: Random) -> Iterator[str]:
    """Random texts that begin as a query does, some of them queries."""
    for _ in range(count):
        middle = "".join(random.choice(PIECES) for _ in range(random.randint(1, 5)))
        begin, end = random.choice(("", "a", "a ", "1, ")), random.choice((" FROM t", "", "/* */ FROM t"))
        yield f"SELECT {begin}{middle}{end}"


def spaced(text: str, lexemes: tuple[Lexeme, ...]) -> str:
    """The tokens with one blank between; none in calls and names, and line breaks stay."""
    found = ""
    for number, lexeme in enumerate(lexemes):
        before = lexemes[number - 1] if number else None
        if before is not None:
            close = before.end == lexeme.start
            together = close and (lexeme.text in "(." or before.text == ".")
            found += "" if together else "\n" if "\n" in text[before.end : lexeme.start] else " "
        found += lexeme.text
    return found


def rows(text: str, dialect: str) -> list[str] | None:
    """The rows of a text on the engine, sorted; None where the engine rejects it.

    `Stopped` where the engine does not finish, as on a machine that is busy.
    """
    try:
        found = registry.engine(dialect).replay(TABLE, text, Settings())
    except (ToolMissing, Stopped):
        raise
    except Exception:  # whatever the driver raises
        return None
    return sorted(map(repr, found))
