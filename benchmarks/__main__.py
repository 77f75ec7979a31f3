"""`python -m benchmarks NAME ... [OPTION ...]`: run the named measurements; `all` runs every one.

Each takes `--quick`. Without a name, the measurements are listed.

`python -m benchmarks NAME FILE ...`: a command with operands, such as `compare`.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

NAMES = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))


def main() -> None:
    """Dispatch by file name; options are passed on to each measurement."""
    first = (
        importlib.import_module(f"benchmarks.{sys.argv[1]}")
        if sys.argv[1:2] and sys.argv[1] in NAMES
        else None
    )
    if first is not None and getattr(first, "OPERANDS", False):
        first.main(sys.argv[2:])
        return
    arguments = sys.argv[1:]
    # Names come first: what follows an option may be its value.
    end = next((place for place, one in enumerate(arguments) if one.startswith("-")), len(arguments))
    names, options = arguments[:end], arguments[end:]
    if names == ["all"]:
        names = list(_measurements())
    if not names:
        print("\n".join(f"{name:12} {_purpose(name)}" for name in NAMES))
        return
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        sys.exit(f"no benchmark {unknown[0]!r}: expected one of {', '.join(NAMES)}")
    for name in names:
        print(f"== {name} ==", flush=True)
        importlib.import_module(f"benchmarks.{name}").main(options)
        print(flush=True)


def _purpose(name: str) -> str:
    """The first line of a measurement's documentation, read without importing it."""
    text = Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]


def _measurements() -> Iterator[str]:
    """The names that run without operands."""
    for name in NAMES:
        if not getattr(importlib.import_module(f"benchmarks.{name}"), "OPERANDS", False):
            yield name


main()
