"""Files of SQL cut into statements, and two of them aligned: which statement became which.

A file may be a dbt model: `{{ ref('orders') }}` and `{{ source('shop', 'orders') }}` are read as the table
`orders`, `{{ config(...) }}` as nothing. Any other template is refused, since its text depends on what is
not at hand.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from truespec.domains.sql.text.lexer import Lexeme, Shape, lex
from truespec.verdict import Unsupported

QUERY_HEADS = {"SELECT", "WITH", "VALUES", "TABLE", "FROM", "("}
"""What a query begins with."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a file."""

    text: str
    """As it is written, without the semicolon; of a view, the whole statement."""
    query: str | None
    """The query in it; None where there is none that can be compared."""
    head: str
    """What stands before the query, its words in capitals: empty, or `CREATE VIEW V AS`."""
    line: int
    """The line where it begins, from 1."""
    words: tuple[str, ...]
    """Its tokens: two statements with the same tokens are the same text to the engine."""

    @property
    def kind(self) -> str:
        """Its first word."""
        return self.words[0].upper() if self.words else ""


@dataclass(frozen=True, slots=True)
class Aligned:
    """A statement before and after a change; one side is None where it was added or removed."""

    old: Statement | None
    """Before."""
    new: Statement | None
    """After."""

    @property
    def unchanged(self) -> bool:
        """Whether both sides have the same tokens."""
        return self.old is not None and self.new is not None and self.old.words == self.new.words


def statements(text: str, dialect: str) -> list[Statement]:
    """The statements of a file, in order.

    `SpecificationError` where the engine's lexer stops, `Unsupported` for a template that is not read.
    """
    text = _without_templates(text)
    source = lex(text, dialect)
    groups: list[list[Lexeme]] = [[]]
    for lexeme in source.lexemes:
        if lexeme.shape is Shape.OPERATOR and lexeme.text == ";":
            groups.append([])
        else:
            groups[-1].append(lexeme)
    return [_statement(text, group) for group in groups if group]


def _statement(text: str, tokens: Sequence[Lexeme]) -> Statement:
    start = _query_start(tokens)
    written = text[tokens[0].start : tokens[-1].end]
    query = None if start is None else text[tokens[start].start : tokens[-1].end]
    head = " ".join(token.word or token.text for token in tokens[: start or 0])
    return Statement(
        written,
        query,
        head,
        1 + text.count("\n", 0, tokens[0].start),
        tuple(token.text for token in tokens),
    )


def _query_start(tokens: Sequence[Lexeme]) -> int | None:
    """Where the query begins: at once, or behind `CREATE [OR REPLACE] VIEW name [(...)] AS`."""
    if (tokens[0].word or tokens[0].text) in QUERY_HEADS:
        return 0
    words = [token.word for token in tokens]
    if words[0] != "CREATE" or "VIEW" not in words[:6] or "AS" not in words:
        return None
    start = words.index("AS") + 1
    return start if start < len(tokens) and (words[start] or tokens[start].text) in QUERY_HEADS else None


def _without_templates(text: str) -> str:
    if "{{" not in text and "{%" not in text and "{#" not in text:
        return text
    from jinja2 import StrictUndefined, TemplateError
    from jinja2.sandbox import SandboxedEnvironment

    environment = SandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=True)
    environment.globals = {
        "ref": lambda *names: names[-1],
        "source": lambda _, name: name,
        "config": lambda **_: "",
    }
    if "{%" in text:
        raise Unsupported("sql: a template with {% ... %}: give the compiled file instead")
    try:
        return environment.from_string(text).render()
    except (TemplateError, TypeError) as error:
        raise Unsupported(
            f"sql: a template that is not read ({error}): give the compiled file instead"
        ) from None


def align(old: Sequence[Statement], new: Sequence[Statement]) -> list[Aligned]:
    """Which statement became which: the same tokens first, then by order between what did not change.

    Between two unchanged statements, as many are paired as both sides have; of what is left over, the last
    ones count as removed or added.
    """
    matcher = difflib.SequenceMatcher(None, [one.words for one in old], [one.words for one in new], False)
    found: list[Aligned] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        before, after = list(old[a:b]), list(new[c:d])
        if tag == "equal":
            found += [Aligned(one, two) for one, two in zip(before, after, strict=True)]
            continue
        for number in range(max(len(before), len(after))):
            one = before[number] if number < len(before) else None
            two = after[number] if number < len(after) else None
            found.append(Aligned(one, two))
    return found
