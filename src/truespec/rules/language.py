"""Rules as YAML: what people read and models fill in. `schema.json` beside this file publishes the shape.

```yaml
truespec_rules: 1
define:
  asked: {message: user, text: {words: [yes, go ahead]}}
rules:
  - id: confirm-before-booking
    text: Book only after the user has agreed.
    category: transition
    formal:
      template: precedence
      a: asked
      b: {call: book}
```

A formal part is a template, or `when` (a predicate) with `require` (a formula), or a `formula` of the whole
trace. Formulas name predicates of `define`, of the file or of the rule. `bind` names data of the event at
which an obligation starts, so that predicates can ask for the same: `bind: {order: args.order_id}` and
`{call: look_up, args: {order_id: $order}}`. `over` (`calls`, `messages`, or a predicate) skips all other
events.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml

from truespec.rules import formula as f
from truespec.rules import predicate as p
from truespec.rules.failures import read_failures
from truespec.rules.formula import Formula
from truespec.rules.predicate import ALWAYS, Predicate, all_of, any_of
from truespec.rules.reading import read_predicate
from truespec.rules.rule import Formal, Obligation, Position, Rule
from truespec.rules.templates import TEMPLATES
from truespec.rules.yaml_hints import scanning_hint, scanning_place, with_hints
from truespec.untrusted.nesting import TooDeep, yaml_events
from truespec.verdict import Place, ReasonCode, SpecificationError

VERSION = 1
"""The version of the file's shape, in its field `truespec_rules`."""
SCHEMA = Path(__file__).with_name("schema.json")
"""The published JSON Schema of a rule file."""
_RULE = [
    "id",
    "text",
    "category",
    "severity",
    "force",
    "kind",
    "formal",
    "quote",
    "position",
    "reading",
    "domains",
    "violation",
    "required",
    "action",
    "hint",
    "define",
    "kept",
    "broken",
]
_FORMAL = ["template", "a", "b", "n", "when", "require", "formula", "bind", "over", "results", "define"]
MAX_BYTES = 4 << 20
"""A larger rule file is refused."""


_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_LONGEST_MESSAGE = 500
_NAMED = re.compile(r"[-+]?\.(?:inf|nan)", re.IGNORECASE).fullmatch
_POWER = re.compile(r"[-+]?[\d._]+e[-+]?\d{3,}", re.IGNORECASE).fullmatch


def _is_infinite(scalar: str) -> bool:
    """Whether YAML reads a plain scalar as an infinity or no number, or a double cannot hold it."""
    if not _POWER(scalar):
        return bool(_NAMED(scalar))
    try:
        return math.isinf(float(scalar))
    except ValueError:  # 1.2.3e400 is a text
        return False


def file_text(path: Path) -> str:
    """The text of a rule file; `SpecificationError` where it is too large or not UTF-8."""
    with path.open("rb") as stream:
        raw = stream.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise _wrong(path.name, f"a rule file of more than {MAX_BYTES >> 20} MiB")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _wrong(path.name, f"not UTF-8 at byte {error.start}") from None


def load_file(path: Path, parameters: Mapping[str, Any] | None = None) -> tuple[Rule, ...]:
    """The rules of a file on disk."""
    return load_rules(file_text(path), path.name, parameters)


def load_yaml(text: str, name: str = "") -> Any:
    """The value of a YAML text; `SpecificationError` with its place where it is none.

    Aliases, which can make a small file a huge value, are refused.
    """
    where = f"{name}: " if name else ""
    if len(text) > MAX_BYTES:
        raise SpecificationError(ReasonCode.SYNTAX, f"{where}more than {MAX_BYTES} characters")
    try:
        for event in yaml_events(text, _LOADER):
            if isinstance(event, yaml.AliasEvent):
                mark = event.start_mark
                raise SpecificationError(
                    ReasonCode.SYNTAX,
                    f"{where}aliases (*name) are not read; use 'define', or quote a text that begins with *",
                    Place(mark.line + 1, mark.column + 1) if mark else None,
                )
            if isinstance(event, yaml.ScalarEvent) and not event.style and _is_infinite(event.value):
                mark = event.start_mark
                raise SpecificationError(
                    ReasonCode.SYNTAX,
                    f"{where}{event.value} is no finite number; leave out a bound that bounds nothing",
                    Place(mark.line + 1, mark.column + 1) if mark else None,
                )
        return yaml.load(text, _LOADER)
    except TooDeep as error:
        raise SpecificationError(ReasonCode.SYNTAX, f"{where}{error}", error.place) from None
    except yaml.MarkedYAMLError as error:
        said = f"{where}no YAML: {error.problem}{scanning_hint(error)}"
        raise SpecificationError(ReasonCode.SYNTAX, said, scanning_place(error)) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SpecificationError(ReasonCode.SYNTAX, f"{where}no YAML: {error}") from None


def load_rules(
    text: str, name: str = "rules", parameters: Mapping[str, Any] | None = None
) -> tuple[Rule, ...]:
    """The rules of a file. An error names the rule and the field, and texts that YAML read as something else.

    A file may have `parameters`, names with default values; a text `"${name}"` in it stands for the value.
    """
    value = load_yaml(text, name)
    try:
        return _rules_of(value, name, parameters)
    except SpecificationError as error:
        raise with_hints(error, text) from None


def _rules_of(value: Any, name: str, parameters: Mapping[str, Any] | None) -> tuple[Rule, ...]:
    own = value.get("parameters") if isinstance(value, Mapping) else None
    if unknown := set(parameters or {}) - set(own or {}):
        known = ", ".join(own) if own else "none"
        raise _wrong(name, f"no parameter {min(unknown)!r}; there are {known}")
    if own:
        value = _filled(value, {**own, **(parameters or {})}, name)
    if isinstance(value, list):
        value = {"truespec_rules": VERSION, "rules": value}
    if not isinstance(value, Mapping) or "rules" not in value:
        raise _wrong(name, "expected a mapping with 'rules'")
    if value.get("truespec_rules", VERSION) != VERSION:
        raise _wrong(name, f"version {value['truespec_rules']!r} is not read; this is version {VERSION}")
    listed = value["rules"]
    if not isinstance(listed, list):
        raise _wrong(name, "'rules' is a list")
    shared = value.get("define") or {}
    if not isinstance(shared, Mapping):
        raise _wrong(name, "'define' is a mapping from names to predicates")
    rules: list[Rule] = []
    for index, item in enumerate(listed):
        rules.append(read_rule(item, f"{name}: rule {index + 1}", shared))
        if any(rule.id == rules[-1].id for rule in rules[:-1]):
            raise _wrong(name, f"two rules are called {rules[-1].id!r}")
    if "failures" in value:
        failures = read_failures(value["failures"], f"{name}: failures")
        rules = [replace(rule, failures=failures) for rule in rules]
    return tuple(rules)


def _filled(value: Any, parameters: Mapping[str, Any], where: str) -> Any:
    """The value with its parameters filled in; a value given for a parameter is not looked into."""
    if isinstance(value, str) and value.startswith("${") and value.endswith("}"):
        if value[2:-1] not in parameters:
            raise _wrong(where, f"no parameter {value[2:-1]!r}; there are {', '.join(parameters)}")
        return parameters[value[2:-1]]
    if isinstance(value, Mapping):
        return {k: v if k == "parameters" else _filled(v, parameters, where) for k, v in value.items()}
    if isinstance(value, list):
        return [_filled(item, parameters, where) for item in value]
    return value


def read_rule(value: Any, where: str, shared: Mapping[str, Any] | None = None) -> Rule:
    """One rule from its YAML value."""
    if not isinstance(value, Mapping):
        raise _wrong(where, f"expected a mapping, found {value!r}")
    if isinstance(value.get("id"), str):
        where = f"{where.split(':', maxsplit=1)[0]}: rule {value['id']!r}"
    _check_keys(value, _RULE, where)
    for key in ("id", "text"):
        if not isinstance(value.get(key), str):
            raise _wrong(where, f"{key!r} is a text")
    formal = value.get("formal")
    position = value.get("position")
    if position is not None and not isinstance(position, Mapping):
        raise _wrong(f"{where}: position", "expected {start: ..., end: ...}")
    domains = value.get("domains", ())
    try:
        return Rule(
            id=value["id"],
            text=value["text"],
            category=value.get("category", "output"),
            severity=value.get("severity", "medium"),
            force=value.get("force", "mandatory"),
            kind=value.get("kind", "deterministic" if formal is not None else "semantic"),
            formal=None if formal is None else read_formal(formal, f"{where}: formal", shared or {}),
            quote=value.get("quote"),
            position=Position(**position) if position is not None else None,
            reading=value.get("reading"),
            domains=(domains,) if isinstance(domains, str) else tuple(domains),
            violation=value.get("violation", ""),
            required=value.get("required"),
            action=value.get("action", ""),
            hint=value.get("hint", ""),
        )
    except (ValueError, TypeError) as error:
        raise _wrong(where, str(error).removeprefix(f"rule {value['id']!r}: ")) from None


def _wrong(where: str, what: str) -> SpecificationError:
    if len(what) > _LONGEST_MESSAGE:
        what = what[: _LONGEST_MESSAGE - 1] + "…"
    return SpecificationError(ReasonCode.SYNTAX, f"{where}: {what}")


def _check_keys(value: Mapping[str, Any], known: list[str], where: str) -> None:
    for key in value:
        if key not in known:
            raise _wrong(where, f"unknown field {key!r}; there are {', '.join(known)}")


class _Atoms:
    """The predicates of one rule, numbered as formulas ask for them."""

    def __init__(self, defined: Mapping[str, Any], where: str) -> None:
        self.defined = defined
        self.where = where
        self.predicates: list[Predicate] = []
        self.names: dict[str, int] = {}

    def number(self, name: str) -> int:
        """The number of a named predicate."""
        if name not in self.names:
            self.names[name] = self.add(self.read(self.defined[name], f"{self.where}: {name}"))
        return self.names[name]

    def read(self, value: Any, where: str, depth: int = 0) -> Predicate:
        """A predicate, or the name of one; names may stand wherever a predicate may."""
        if depth > 50:
            raise _wrong(where, "definitions go round in a circle, or too deep")
        if isinstance(value, str):
            if value not in self.defined:
                raise _wrong(where, f"no predicate is called {value!r}; define it under 'define'")
            return self.read(self.defined[value], f"{self.where}: {value}", depth + 1)
        if isinstance(value, list):
            return any_of(*(self.read(item, where, depth + 1) for item in value))
        if isinstance(value, Mapping):
            rest = dict(value)
            parts: list[Predicate] = []
            for key, join in (("any", any_of), ("all", all_of)):
                if isinstance(rest.get(key), list):
                    parts.append(
                        join(*(self.read(item, f"{where}.{key}", depth + 1) for item in rest.pop(key)))
                    )
            for key, inner in (("so_far", "of"), ("elapsed", "since")):
                asked = rest.get(key)
                if isinstance(asked, Mapping) and inner in asked:
                    rest[key] = {**asked, inner: self._plain(asked[inner], f"{where}.{key}.{inner}")}
            if "not" in rest:
                parts.append(p.none_of(self.read(rest.pop("not"), f"{where}.not", depth + 1)))
            return all_of(read_predicate(rest, where), *parts)
        return read_predicate(value, where)

    def _plain(self, value: Any, where: str, depth: int = 0) -> Any:
        """The YAML form of a predicate, with defined names filled in."""
        if depth > 50:
            raise _wrong(where, "definitions go round in a circle, or too deep")
        if isinstance(value, str):
            if value not in self.defined:
                raise _wrong(where, f"no predicate is called {value!r}; define it under 'define'")
            return self._plain(self.defined[value], where, depth + 1)
        if isinstance(value, list):
            return [self._plain(item, where, depth + 1) for item in value]
        if isinstance(value, Mapping):
            joins = ("any", "all", "not")
            return {k: self._plain(v, where, depth + 1) if k in joins else v for k, v in value.items()}
        return value

    def add(self, predicate: Predicate) -> int:
        """The number of a predicate."""
        if predicate not in self.predicates:
            self.predicates.append(predicate)
        return self.predicates.index(predicate)

    def atom(self, value: Any, where: str) -> Formula:
        """A predicate as a formula."""
        predicate = self.read(value, where)
        return f.T if predicate == ALWAYS else f.F if predicate == p.NEVER else f.atom(self.add(predicate))


def read_formal(value: Any, where: str, shared: Mapping[str, Any]) -> Formal:
    """A formal part from its YAML value."""
    if not isinstance(value, Mapping):
        raise _wrong(where, f"expected a mapping, found {value!r}")
    _check_keys(value, _FORMAL, where)
    own = value.get("define") or {}
    if not isinstance(own, Mapping):
        raise _wrong(where, "'define' is a mapping from names to predicates")
    atoms = _Atoms({**shared, **own}, where)
    bind = value.get("bind") or {}
    if not isinstance(bind, Mapping) or not all(isinstance(v, str) for v in bind.values()):
        raise _wrong(f"{where}: bind", "expected a mapping from names to paths, e.g. {order: args.order_id}")
    over = value.get("over", "events")
    template = value.get("template")
    obligations: list[Obligation] = []
    if template is not None:
        if template == "forbidden_edge":
            template, over = "not_chain_succession", value.get("over", "calls")
        entry = TEMPLATES.get(template) if isinstance(template, str) else None
        if entry is None:
            near = get_close_matches(str(template), [*TEMPLATES, "forbidden_edge"], 1)
            meant = f"; {near[0]!r} is near" if near else ""
            listed = f"{', '.join(TEMPLATES)} and forbidden_edge"
            raise _wrong(where, f"no template {template!r}{meant}; there are {listed}")
        for letter in entry.needs.removesuffix("n"):
            if letter not in value:
                raise _wrong(where, f"the template {template!r} needs {letter!r}")
        n = value.get("n", 1 if template in ("existence", "exactly") else 0)
        if isinstance(n, bool) or not isinstance(n, int) or not 0 <= n <= 50:
            raise _wrong(f"{where}: n", f"expected a number from 0 to 50, found {n!r}")
        a = atoms.atom(value["a"], f"{where}: a")
        b = atoms.atom(value["b"], f"{where}: b") if "b" in value else f.T
        starts = {"a": a, "b": b}
        for start, require in entry.expand(a, b, n):
            obligations.append(
                Obligation(None if start is None else _predicate(starts[start], atoms), require)
            )
    elif "when" in value or "require" in value:
        if not isinstance(value.get("require"), str):
            raise _wrong(where, "'when' needs 'require', a formula")
        when = atoms.read(value.get("when", True), f"{where}: when")
        obligations.append(Obligation(when, _parse(value["require"], atoms, where)))
    elif isinstance(value.get("formula"), str):
        obligations += _split(_parse(value["formula"], atoms, where), atoms)
    else:
        raise _wrong(where, "expected a template, 'when' with 'require', or a formula")
    formal = Formal(
        tuple(atoms.predicates),
        tuple(obligations),
        dict(bind),
        _over(over, atoms, where),
        {"nearest": "nearest", "last": "last"}[value.get("results", "nearest")]
        if value.get("results", "nearest") in ("nearest", "last")
        else "",
        str(template or ""),
    )
    if not formal.pairing:
        raise _wrong(f"{where}: results", "expected nearest or last")
    spoken = {name for predicate in formal.predicates for name in p.variables(predicate)}
    if unbound := spoken - bind.keys():
        raise _wrong(where, f"${min(unbound)} is not bound; add it to 'bind'")
    if bind and any(o.when is None for o in obligations):
        raise _wrong(where, "'bind' needs an event to start from: write 'when' with 'require'")
    if any(o.when is not None and p.variables(o.when) for o in obligations):
        raise _wrong(where, "'when' cannot speak of bound names: they are bound by it")
    return formal


def _predicate(formula: Formula, atoms: _Atoms) -> Predicate:
    return ALWAYS if formula is f.T else p.NEVER if formula is f.F else atoms.predicates[formula.atom]


def _parse(text: str, atoms: _Atoms, where: str) -> Formula:
    try:
        return f.parse(text, atoms.number)
    except SpecificationError as error:
        raise SpecificationError(error.code, f"{where}: {error.message}", error.place) from None


def _over(value: Any, atoms: _Atoms, where: str) -> Predicate:
    if value == "events":
        return ALWAYS
    if value == "calls":
        return all_of(("kind", "call"), ("by", "assistant"))
    if value == "messages":
        return any_of(("kind", "message"), ("kind", "result"))
    found = atoms.read(value, f"{where}: over")
    if any(condition[0] not in p.STATIC for condition in p.conditions(found)):
        raise _wrong(f"{where}: over", "only kind, by, tool and type can choose the events that count")
    return found


def _split(formula: Formula, atoms: _Atoms) -> Iterator[Obligation]:
    """A formula of the whole trace as obligations; what holds always is checked at each event, so that all
    offending events are named and not just the first."""
    for part in formula.items if formula.kind == f.AND else (formula,):
        if part.kind == f.RELEASE and part.items[0] is f.F:
            body = part.items[1]
            starts = [item for item in body.items if f.is_state(item)] if body.kind == f.OR else []
            if starts and len(starts) < len(body.items):
                when = f.negation(f.either(*starts))
                rest = f.either(*(item for item in body.items if not f.is_state(item)))
                yield Obligation(_state(when, atoms), rest)
            elif f.is_state(body):
                yield Obligation(_state(f.negation(body), atoms), f.F)
            else:
                yield Obligation(ALWAYS, body)
        else:
            yield Obligation(None, part)


def _state(formula: Formula, atoms: _Atoms) -> Predicate:
    kind = formula.kind
    if kind in (f.AND, f.OR):
        return (all_of if kind == f.AND else any_of)(*(_state(item, atoms) for item in formula.items))
    if kind == f.NOT_ATOM:
        return p.none_of(atoms.predicates[formula.atom])
    if kind == f.ATOM:
        return atoms.predicates[formula.atom]
    return ALWAYS if kind == f.TRUE else p.NEVER
