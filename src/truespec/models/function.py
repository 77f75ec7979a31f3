"""Any Python callable as a model: `python:MODULE:FUNCTION`, the module installed or in the current folder."""

from __future__ import annotations

import importlib
import os
import sys
import time
from collections.abc import Callable

from truespec.models.call import Call, Reply
from truespec.models.contract import Model, ModelError
from truespec.verdict import UsageError


class FunctionModel(Model):
    """A model whose replies a function gives; it must be safe to call from several threads."""

    def __init__(self, name: str, function: Callable[[Call], str]) -> None:
        self.name = name
        self._function = function

    def reply(self, call: Call) -> Reply:
        """What the function returns for the call; `ModelError` with what it raised."""
        started = time.monotonic()
        try:
            text = self._function(call)
        except Exception as error:
            raise ModelError(f"{self.name}: {type(error).__name__}: {error}") from error
        if not isinstance(text, str):
            raise UsageError(f"{self.name}: the function returned {type(text).__name__}, expected a string")
        return Reply(text, time.monotonic() - started)


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
