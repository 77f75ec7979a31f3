"""Units and meanings of a template's variables, read off the template's own text by rule.

A unit is what stands beside a variable: `x-foot`, `$x each`, `x%`, `x boxes of pie`, `x minutes per mile`.
The statement is asked first, then the worked solution, of which only the word beside a bare variable is
read. Nouns are told by their plural or from a list of measures, so that a verb (`x like to bake`) is no unit.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping, Sequence, Set

from truespec.benchmark.sources.gsm_template import PLACEHOLDER, Template


def _words(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


FACTOR, FRACTION, PERCENT, RATIO = "factor", "fraction", "percent", "part of a ratio"
"""Units of numbers without one."""
FACTORS = frozenset({"multi_times", "multiple_ice", "multiple"})
"""Lists of words such as 'twice'."""
FRACTIONS = frozenset({"fractions", "fraction_nums", "fraction_alnum", "fraction_alph", "fraction_decimals"})
"""Lists of words such as 'half'."""
CURRENCIES = {"$": "dollars", "€": "euros", "£": "pounds sterling", "¥": "yen", "₹": "rupees"}
MEASURES = _words(
    "second minute hour day week month year inch foot yard mile meter kilometer acre hectare ounce pound lb",
    "kg kilogram gram ton cup pint quart gallon liter teaspoon tablespoon dozen cent dollar calorie degree",
)
"""Nouns that are a unit in the singular as well."""
PLURALS = (
    "people",
    "children",
    "men",
    "feet",
    "fish",
    "sheep",
    "mice",
    "teeth",
    "shrimp",
    "dice",
    "lb",
    "kg",
)
"""Ends of plurals without an s."""
NO_NOUNS = _words(
    "a an the this that these those his her its their my your our each every all both half some any another",
    "of in on at to for from with without by per into over under after before during until between through",
    "and or but if than then while so as because when where who which what how not is are was were be been",
    "has have had do does did will would can could may might must should he she it they them him us we you i",
    "get gets got like likes went go goes left pop pops minus plus less always needs costs weighs times out",
    "off apart away",
)
"""Words at which a noun phrase ends, and verbs and adverbs that look like a plural."""
QUANTITIES = _words("more fewer less additional other extra")
"""Words between a number and what it counts."""
LONGEST = 4
"""Words in a noun phrase, at most."""
CLAUSE = 90
"""Characters of a quoted clause, at most."""

_VARIABLE = "⟦{}⟧"
_MODIFIER = re.compile(r"^ (?:⟦\w+⟧-\w+|\$⟦\w+⟧) ")
_RATE = re.compile(
    r"^(?:/| per | (?:a|an|each|every) (?=second|minute|hour|day|night|week|month|year))"
    r"((?:two |three |four |five |ten )?[a-z]+)"
)
_PART = re.compile(r" of (?:an?|the|these|those|his|her|their|our|my) (.*)")


def units(template: Template, variables: Collection[str]) -> dict[str, str | None]:
    """The unit of each variable; None where neither statement nor solution has one beside it."""
    texts = [_marked(template, text, variables) for text in (template.statement, template.solution)]
    return {name: _unit(name, template, texts) for name in variables}


def meanings(
    template: Template, found: Mapping[str, str | None], constraints: Sequence[str]
) -> dict[str, str]:
    """What each variable stands for: its unit, and the clause it stands in or the equation that fixes it.

    A unit that cannot be derived is said to be missing. `constraints` are those that are shown.
    """
    statement = _marked(template, template.statement, found)
    meant = {}
    for name, unit in found.items():
        said = SAID.get(unit or "", unit) or "no unit stands beside it"
        word = template.defaults.get(name, "")
        if word and unit in (None, FACTOR, FRACTION) and not re.match(r"[\d.]", word):
            said += f' ("{word}" in the original problem)'
        clause = _clause(name, statement)
        if clause:
            meant[name] = f'{said}; in "{clause}"'
            continue
        fixing = [one for one in constraints if "==" in one and re.search(rf"\b{re.escape(name)}\b", one)]
        place = f"it is fixed by {fixing[0]}" if fixing else "nothing else is said of it"
        meant[name] = f"{said}; not in the statement, {place}"
    return meant


SAID = {
    FACTOR: "a factor, without a unit",
    FRACTION: "a fraction, without a unit",
    RATIO: "a part of a ratio, without a unit",
}
"""How units of numbers without one are worded."""


def _marked(template: Template, text: str, variables: Collection[str]) -> str:
    """The text with variables in marks and the original words for all other placeholders."""

    def original(match: re.Match[str]) -> str:
        return _VARIABLE.format(match[1]) if match[1] in variables else match[2]

    def bare(match: re.Match[str]) -> str:
        name = match[1]
        return _VARIABLE.format(name) if name in variables else template.defaults.get(name, match[0])

    text = re.sub(r"<<.*?>>", " ", re.sub(r"\s+", " ", text))
    return re.sub(r"\{\s*(\w+)\s*\}", bare, PLACEHOLDER.sub(original, text))


def _unit(name: str, template: Template, texts: Sequence[str]) -> str | None:
    mark = _VARIABLE.format(name)
    lists = {node.id for node in ast.walk(template.domains[name]) if isinstance(node, ast.Name)}
    counts = not re.match("[a-z]+-", template.defaults.get(name, ""))
    for text in texts:
        for place in re.finditer(re.escape(mark), text):
            after = re.sub(r"^(?=[a-z])", " ", text[place.end() :])
            found = _beside(text[: place.start()], after, lists, counts)
            if found:
                return found
    return FACTOR if lists & FACTORS else FRACTION if lists & FRACTIONS else None


def _beside(before: str, after: str, lists: Set[str], counts: bool) -> str | None:
    """The unit of one occurrence, from the text on both sides; the first rule that fits.

    `counts` says that the original problem has a number there: `a 10 piece puzzle`, not `a six-sided die`.
    """
    if before[-1:] in CURRENCIES:
        return CURRENCIES[before[-1]] + _rate(after, each=True)
    if re.match(r"%| percent\b", after):
        return PERCENT
    if re.match(r":⟦|:\d", after) or re.search(r"⟧:$|\d:$", before):
        return RATIO
    if re.match(r" times (?:as|the|that|more|less|bigger|its|their|his|her)\b| as (?:\w+) as\b", after):
        return FACTOR
    part = _PART.match(after)
    whole = re.match("[a-z]+", part[1]) if part else None
    if whole and whole[0] in MEASURES:
        return whole[0]
    if lists & FRACTIONS or lists & FACTORS:
        return None  # the list says what it is
    if re.match(r" [AP]M\b", after):
        return "o'clock"
    if re.match(r" times\b", after):
        return "times" + _rate(after[len(" times") :])
    hyphen = re.match(r"-([a-z]+)", after)
    if hyphen:
        return hyphen[1]
    compound = counts and re.search(r"\b(?:a|an|another)\s$", before.lower()) is not None
    return _noun(" " + part[1] if part else _MODIFIER.sub(" ", after), compound=compound)


def _noun(after: str, *, compound: bool) -> str | None:
    """The noun phrase that a number counts: up to the first plural, or a measure in the singular.

    In a compound, such as `a 10 piece puzzle`, the first word is the unit.
    """
    match = re.match(rf"(?: [A-Za-z]+(?:-[a-z]+)?){{1,{LONGEST}}}", after)
    if match is None:
        return None
    taken: list[str] = []
    place = 0
    for word in match[0].split():
        place += 1 + len(word)
        plain = word.lower()
        if plain in QUANTITIES and not taken:
            continue
        if plain in NO_NOUNS:
            return None
        taken.append(word)
        plural = plain.endswith(PLURALS) or (plain.endswith("s") and not plain.endswith(("ous", "less")))
        if plural or (plain in MEASURES and plain != "dozen" and len(taken) == 1):
            return " ".join(taken) + _rate(after[place:])
    return taken[0] if taken and (compound or taken[0] in MEASURES) else None


def _rate(after: str, *, each: bool = False) -> str:
    """` per mile` or the like where it follows; with `each`, also the word each."""
    found = _RATE.match(after)
    if found:
        return f" per {found[1]}"
    return " each" if each and re.match(r" each\b", after) else ""


def _clause(name: str, statement: str) -> str:
    """The part of the statement between two marks of punctuation that holds the variable first."""
    mark = _VARIABLE.format(name)
    start = statement.find(mark)
    if start < 0:
        return ""
    ends = [m.end() for m in re.finditer(r"[.?!;:,]\"?(?=\s)", statement)]
    low = max((end for end in ends if end <= start), default=0)
    high = min((end for end in ends if end > start + len(mark)), default=len(statement))
    before, after = statement[low:start].lstrip(), statement[start + len(mark) : high].rstrip(' .?!;:,"')
    room = CLAUSE // 2
    if len(before) > room:
        before = "… " + before[-room:].partition(" ")[2]
    if len(after) > room:
        after = after[:room].rpartition(" ")[0] + " …"
    return re.sub(r"⟦(\w+)⟧", r"\1", before + mark + after)


def ambiguous(template: Template, variables: Collection[str]) -> list[str]:
    """The variables that stand for two different values in the original problem: a slip of the template."""
    values: dict[str, set[str]] = {}
    for match in PLACEHOLDER.finditer(template.statement):
        values.setdefault(match[1], set()).add(match[2].lower())
    return [name for name in variables if len(values.get(name, ())) > 1]
