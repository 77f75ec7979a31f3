"""Where YAML reads a plain text as something else: with its place, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

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
    return Place(mark.line + 1, mark.column + 1) if mark else None


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
            place = Place(mark.line + 1, mark.column + 1)
            where = f"line {place.line}, column {place.column}"
            read = f"YAML reads {root.value[:60] or 'an empty value'} as {_READ_AS[kind]}"
            yield place, f'{where}: {read}; write "{root.value[:60]}"'


def with_hints(error: SpecificationError, text: str) -> SpecificationError:
    """The error with the hints about the rule that it names; itself where there are none. The text has been
    read before, so that its nesting is bounded."""
    root = yaml.compose(text, _LOADER)
    found = list(hints(_named(root, error.message)))[:MOST]
    if not found:
        return error
    listed = "; ".join(hint for _, hint in found)
    return SpecificationError(error.code, f"{error.message}; {listed}", error.place or found[0][0])


def _named(root: yaml.Node | None, message: str) -> yaml.Node | None:
    """The rule that an error names by its number or its id; the whole file where it names none."""
    listed = root
    if isinstance(root, yaml.MappingNode):
        listed = next((value for key, value in root.value if key.value == "rules"), None)
    rules = listed.value if isinstance(listed, yaml.SequenceNode) else []
    if found := re.search(r"rule (\d+)", message):
        number = int(found[1])
        return rules[number - 1] if number <= len(rules) else root
    if found := re.search(r"rule '([^']*)'", message):
        for rule in rules:
            if isinstance(rule, yaml.MappingNode) and any(
                key.value == "id" and value.value == found[1] for key, value in rule.value
            ):
                return rule
    return root
