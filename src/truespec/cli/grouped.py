"""Options that belong together reach a command as one value."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import fields
from typing import Any

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def grouped(name: str, kind: type, *options: Decorator) -> Decorator:
    """Add options to a command; their values arrive as the argument `name`, an instance of `kind`.

    `kind` is a dataclass; each of its fields is the parameter of one option.
    """
    names = [field.name for field in fields(kind)]

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def collected(**values: Any) -> Any:
            made = kind(**{one: values.pop(one) for one in names})
            return function(**values, **{name: made})

        command: Callable[..., Any] = collected
        for option in reversed(options):
            command = option(command)
        return command

    return decorate
