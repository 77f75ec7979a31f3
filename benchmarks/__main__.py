"""`python -m benchmarks [NAME ...] [--quick]`: run the named measurements, or all of them."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

NAMES = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))


def main() -> None:
    """Dispatch by file name; options are passed on to each measurement."""
    options = [argument for argument in sys.argv[1:] if argument.startswith("-")]
    names = [argument for argument in sys.argv[1:] if not argument.startswith("-")] or NAMES
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        sys.exit(f"no benchmark {unknown[0]!r}: expected one of {', '.join(NAMES)}")
    for name in names:
        print(f"== {name} ==", flush=True)
        importlib.import_module(f"benchmarks.{name}").main(options)
        print(flush=True)


main()
