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

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from truespec.rules import formula as f
from truespec.rules import predicate as p
from truespec.rules.failures import read_failures
from truespec.rules.formula import Formula
from truespec.rules.predicate import ALWAYS, Predicate, all_of, any_of
from truespec.rules.reading import read_predicate
from truespec.rules.rule import Formal, Obligation, Position, Rule
from truespec.rules.templates import TEMPLATES
from truespec.rules.yaml_hints import with_hints
from truespec.rules.yaml_place import listed
from truespec.rules.yaml_text import MAX_BYTES, load_yaml
from truespec.untrusted.outputs import named
from truespec.verdict import ReasonCode, SpecificationError

VERSION = 1
"""The version of the file's shape, in its field `truespec_rules`."""
SCHEMA = Path(__file__).with_name("schema.json")
"""The published JSON Schema of a rule file."""
_FILE = ["truespec_rules", "rules", "define", "parameters", "failures"]
_RULE = [
    *("id", "text", "category", "severity", "force", "kind", "formal", "quote", "position", "reading"),
    *("domains", "violation", "required", "action", "hint", "define", "kept", "broken"),
]
_FORMAL = ["template", "a", "b", "n", "when", "require", "formula", "bind", "over", "results", "define"]


_LONGEST_MESSAGE = 500


def file_text(path: Path) -> str:
    """The text of a rule file; `SpecificationError` where it is too large or not UTF-8."""
    with named(path), path.open("rb") as stream:
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
        known = listed(min(unknown), own) if own else "; it has none"
        raise _wrong(name, f"no parameter {min(unknown)!r}{known}")
    if own:
        value = _filled(value, {**own, **(parameters or {})}, name)
    if isinstance(value, list):
        value = {"truespec_rules": VERSION, "rules": value}
    if not isinstance(value, Mapping):
        seen = "nothing" if value is None else f"{value!r:.60}"
        raise _wrong(name, f"expected a list of rules, or a mapping with 'rules', found {seen}")
    _check_keys(value, _FILE, name)
    if "rules" not in value:
        raise _wrong(name, "expected a mapping with 'rules', a list")
    if value.get("truespec_rules", VERSION) != VERSION:
        raise _wrong(name, f"version {value['truespec_rules']!r} is not read; this is version {VERSION}")
    items = value["rules"]
    if not isinstance(items, list):
        raise _wrong(name, "'rules' is a list")
    shared = value.get("define") or {}
    if not isinstance(shared, Mapping):
        raise _wrong(name, "'define' is a mapping from names to predicates")
    rules: list[Rule] = []
    for index, item in enumerate(items):
        rules.append(read_rule(item, f"{name}: rule {index + 1}", shared))
        if any(rule.id == rules[-1].id for rule in rules[:-1]):
            raise _wrong(f"{name}: rule {index + 1}", f"two rules are called {rules[-1].id!r}")
    if "failures" in value:
        failures = read_failures(value["failures"], f"{name}: failures")
        rules = [replace(rule, failures=failures) for rule in rules]
    return tuple(rules)


def _filled(value: Any, parameters: Mapping[str, Any], where: str) -> Any:
    """The value with its parameters filled in; a value given for a parameter is not looked into."""
    if isinstance(value, str) and value.startswith("${") and value.endswith("}"):
        if value[2:-1] not in parameters:
            raise _wrong(where, f"no parameter {value[2:-1]!r}{listed(value[2:-1], parameters)}")
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
            if key in value:
                raise _wrong(f"{where}: {key}", f"expected a text, found {value[key]!r}")
            raise _wrong(where, f"{key!r} is missing; a rule has an id and a text")
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
            raise _wrong(where, f"unknown field {key!r}{listed(key, known)}")


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
            known = listed(template, [*TEMPLATES, "forbidden_edge"])
            raise _wrong(where, f"no template {template!r}{known}")
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
        inner = error.message.startswith(where)  # of a predicate that the formula names
        said = error.message if inner else f"{where}: {error.message}"
        raise SpecificationError(error.code, said, error.place) from None


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
