"""What one message says twice: a call as a part, in a list of calls and as a text; a result likewise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from truespec.traces.importers.parts import Atom, identifier_of, is_call, kind_of_part
from truespec.traces.importers.told import parsed
from truespec.traces.trace import ToolCall


def without_repeated_texts(atoms: Sequence[Atom]) -> list[Atom]:
    """The atoms without texts that only say a result of the same message once more."""
    told = {value.text for what, value in atoms if what == "result"}
    return [(what, value) for what, value in atoms if what != "text" or value not in told]


def without_repeated_calls(atoms: Iterable[Atom]) -> list[Atom]:
    """The atoms, in which a call that stands in the message twice, as a part and in a list, stands once.

    Both places say its identifier and its name, and the same arguments, or one place says none. Other calls
    that share an identifier are calls of their own. A text that is the JSON of one of the calls is no speech.
    """
    kept: list[Atom] = []
    atoms = _without_spelt_calls(list(atoms))
    places: dict[tuple[str, str], list[int]] = {}
    for what, value in atoms:
        if what == "call" and value.id is not None:
            known = places.setdefault((value.id, value.name), [])
            for place in known:
                before: ToolCall = kept[place][1]
                if not value.arguments or not before.arguments or before.arguments == value.arguments:
                    kept[place] = ("call", value if value.arguments else before)
                    break
            else:
                known.append(len(kept))
                kept.append((what, value))
        else:
            kept.append((what, value))
    return _without_repeated_results(kept)


def _without_repeated_results(atoms: list[Atom]) -> list[Atom]:
    """The atoms without results that say once more what the only call with their identifier gave."""
    results = [value for what, value in atoms if what == "result" and value.call_id is not None]
    if len({value.call_id for value in results}) == len(results):
        return atoms
    calls = Counter(value.id for what, value in atoms if what == "call")
    seen: dict[str, list[str | None]] = {}
    kept: list[Atom] = []
    for what, value in atoms:
        if what == "result" and calls[value.call_id]:
            told = seen.setdefault(value.call_id, [])
            if len(told) >= calls[value.call_id] and value.text in told:
                continue
            told.append(value.text)
        kept.append((what, value))
    return kept


def _without_spelt_calls(atoms: list[Atom]) -> list[Atom]:
    called = {(value.id, value.name) for what, value in atoms if what == "call"}
    if not called or all(what != "text" or not str(value).startswith("{") for what, value in atoms):
        return atoms
    return [(what, value) for what, value in atoms if what != "text" or _spelt_call(value) not in called]


def _spelt_call(text: str) -> tuple[Any, Any]:
    """The identifier and the name of the call that a text is the JSON of."""
    value = parsed(text) if text.startswith("{") else None
    if not isinstance(value, Mapping) or not is_call(kind_of_part(value)):
        return None, None
    return identifier_of(value), value.get("name")
