"""Any Python callable as a model: `python:MODULE:FUNCTION`, the module installed or in the current folder.

The function takes a `Call` and returns the reply's text, or a `Reply` that also holds tokens and cost. It
raises `Transient` (or Python's `ConnectionError` or `TimeoutError`) where the call should be tried again:

    from truespec.models.call import Reply
    from truespec.models.contract import Transient
"""

from __future__ import annotations

import importlib
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from math import inf

from truespec.models.call import Call, Reply
from truespec.models.contract import Model, ModelError, Transient
from truespec.verdict import UsageError


class FunctionModel(Model):
    """A model whose replies a function gives; it must be safe to call from several threads."""

    def __init__(self, name: str, function: Callable[[Call], str | Reply]) -> None:
        self.name = name
        self._function = function

    def reply(self, call: Call) -> Reply:
        """What the function returns for the call; `Transient` or `ModelError` with what it raised."""
        started = time.monotonic()
        try:
            made = self._function(call)
        except Exception as error:
            passing = isinstance(error, Transient | ConnectionError | TimeoutError)
            kind = Transient if passing else ModelError
            raise kind(f"{self.name}: {type(error).__name__}: {error}") from error
        if isinstance(made, str):
            made = Reply(made)
        problem = _problem(made)
        if problem:
            raise UsageError(f"{self.name}: the function returned {problem}")
        return replace(made, seconds=time.monotonic() - started)


def _problem(made: object) -> str:
    """What is wrong with what a function returned; empty for a well-formed reply."""
    if not isinstance(made, Reply):
        return f"{type(made).__name__}, expected a string or a truespec.models.call.Reply"
    text: object = made.text
    if not isinstance(text, str):
        return f"a Reply with a text of type {type(text).__name__}, expected a string"
    for name in ("input_tokens", "output_tokens", "cost"):
        value: object = getattr(made, name)
        kinds = (int, float) if name == "cost" else (int,)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, kinds) or not 0 <= value < inf:
            return f"a Reply with {name} = {value!r}, expected a number from 0 upwards, or None"
    return ""


def open_function(name: str, target: str) -> Model:
    """The model of `MODULE:FUNCTION`; `UsageError` says what is missing."""
    module, _, attribute = target.partition(":")
    if (here := os.getcwd()) not in sys.path:
        sys.path.append(here)
    try:
        function = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"model {name!r}: {error}: expected python:MODULE:FUNCTION") from None
    if not callable(function):
        raise UsageError(f"model {name!r}: {attribute} is no function")
    return FunctionModel(name, function)
