"""What one message says twice: a call as a part and in a list of calls, a result as a part and as a text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from truespec.traces.importers.parts import Atom
from truespec.traces.trace import ToolCall


def without_repeated_texts(atoms: Sequence[Atom]) -> list[Atom]:
    """The atoms without texts that only say a result of the same message once more."""
    told = {value.text for what, value in atoms if what == "result"}
    return [(what, value) for what, value in atoms if what != "text" or value not in told]


def without_repeated_calls(atoms: Iterable[Atom]) -> list[Atom]:
    """The atoms, in which a call that stands in the message twice, as a part and in a list, stands once.

    Both places say its identifier and its name, and the same arguments, or one place says none. Other calls
    that share an identifier are calls of their own.
    """
    kept: list[Atom] = []
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
    return kept
