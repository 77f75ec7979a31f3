"""Where YAML reads a plain text as something else: with its place, and what to write instead."""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from truespec.rules.yaml_place import place_of, rule_named
from truespec.verdict import Place, SpecificationError

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_READ_AS = {
    "bool": "true or false",
    "int": "a number",
    "float": "a number",
    "null": "nothing",
    "timestamp": "a date",
}
_TEXTS = (
    "id", "text", "quote", "category", "severity", "force", "violation", "hint", "user", "assistant",
    "system", "contains", "equals", "words", "call", "tool", "require", "formula",
)  # fmt: skip
"""Fields whose values are texts, or lists of texts."""
_WORDS = ("yes", "no", "on", "off")
"""Words that YAML reads as true and false."""
_FLAGS = ("required", "ok", "failed", "says", "ignore_case", "fits_schema", "exists", "missing")
"""Fields whose values are true or false: there the words mean what YAML takes them for."""
MOST = 3
"""The most hints with one error."""
_SCANNING = (
    ("alias", 'a text that begins with * is quoted: write "*"'),
    ("mapping values are not allowed", "a text that holds ': ' is quoted"),
    ("tab character", "indent with spaces"),
    ("cannot start any token", "indent with spaces, and quote a text that begins with @, `, % or a tab"),
    (
        "did not find expected key",
        "check the indentation, and quote a text that holds ': ' or a quotation mark",
    ),
)


def scanning_hint(error: yaml.MarkedYAMLError) -> str:
    """What to write where the text is no YAML at all; empty where nothing is known."""
    said = f"{error.context or ''} {error.problem or ''}"
    return next((f"; {hint}" for part, hint in _SCANNING if part in said), "")


def scanning_place(error: yaml.MarkedYAMLError) -> Place | None:
    """Where the text is no YAML: for an alias, at its asterisk."""
    mark = error.context_mark if "alias" in (error.context or "") else None
    mark = mark or error.problem_mark
    return Place(mark.line + 1, mark.column + 1, in_file=True) if mark else None


def hints(root: yaml.Node | None, field: str = "") -> Iterator[tuple[Place, str]]:
    """Plain scalars that were read as something other than a text, where a text was probably meant."""
    if isinstance(root, yaml.MappingNode):
        for key, value in root.value:
            yield from hints(key, "words")
            yield from hints(value, str(key.value) if isinstance(key, yaml.ScalarNode) else "")
    elif isinstance(root, yaml.SequenceNode):
        for item in root.value:
            yield from hints(item, field)
    elif isinstance(root, yaml.ScalarNode) and not root.style:
        kind = root.tag.rpartition(":")[2]
        misled = kind == "bool" and root.value.lower() in _WORDS and field not in _FLAGS
        if kind in _READ_AS and (misled or kind == "timestamp" or field in _TEXTS):
            mark = root.start_mark
            place = Place(mark.line + 1, mark.column + 1, in_file=True)
            where = f"line {place.line}, column {place.column}"
            read = f"YAML reads {root.value[:60] or 'an empty value'} as {_READ_AS[kind]}"
            yield place, f'{where}: {read}; write "{root.value[:60]}"'


def with_hints(error: SpecificationError, text: str) -> SpecificationError:
    """The error with its place in the file, and with the hints about the rule that it names.

    The text has been read before, so that its nesting is bounded.
    """
    root = yaml.compose(text, _LOADER)
    found = list(hints(rule_named(root, error.message)))[:MOST]
    column = error.place.column if error.place else None
    place = place_of(root, error.message, column) or error.place
    if found and (place is None or found[0][0].line == place.line):
        place = found[0][0]  # the value itself, where the error names what holds it
    said = error.message
    if column is not None and place is not None:
        said += f", column {column} of the formula"
    return SpecificationError(error.code, "; ".join([said, *(hint for _, hint in found)]), place)
