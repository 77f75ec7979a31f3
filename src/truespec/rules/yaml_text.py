"""The value of a YAML text, with its place where it is none."""

from __future__ import annotations

import math
import re
from typing import Any

import yaml

from truespec.rules.yaml_hints import scanning_hint, scanning_place
from truespec.rules.yaml_place import Keys
from truespec.untrusted.nesting import TooDeep, yaml_events
from truespec.verdict import Place, ReasonCode, SpecificationError

MAX_BYTES = 4 << 20
"""A larger rule file is refused."""
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
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


def _refused(event: yaml.Event, what: str) -> SpecificationError:
    mark = event.start_mark
    return SpecificationError(
        ReasonCode.SYNTAX, what, Place(mark.line + 1, mark.column + 1, in_file=True) if mark else None
    )


def load_yaml(text: str, name: str = "") -> Any:
    """The value of a YAML text; `SpecificationError` with its place where it is none.

    Aliases, which can make a small file a huge value, are refused.
    """
    where = f"{name}: " if name else ""
    if len(text) > MAX_BYTES:
        raise SpecificationError(ReasonCode.SYNTAX, f"{where}more than {MAX_BYTES} characters")
    try:
        keys = Keys()
        for event in yaml_events(text, _LOADER):
            if (twice := keys.repeated(event)) is not None:
                raise _refused(event, f"{where}the key {twice[:60]!r} stands twice in one mapping")
            if isinstance(event, yaml.AliasEvent):
                raise _refused(
                    event,
                    f"{where}aliases (*name) are not read; use 'define', or quote a text that begins with *",
                )
            if isinstance(event, yaml.ScalarEvent) and not event.style and _is_infinite(event.value):
                raise _refused(
                    event, f"{where}{event.value} is no finite number; leave out a bound that bounds nothing"
                )
        return yaml.load(text, _LOADER)
    except TooDeep as error:
        raise SpecificationError(ReasonCode.SYNTAX, f"{where}{error}", error.place) from None
    except yaml.MarkedYAMLError as error:
        said = f"{where}no YAML: {error.problem}{scanning_hint(error)}"
        raise SpecificationError(ReasonCode.SYNTAX, said, scanning_place(error)) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SpecificationError(ReasonCode.SYNTAX, f"{where}no YAML: {error}") from None
