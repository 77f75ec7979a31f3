"""Fixtures for pytest; nothing is imported before a test asks for it.

```python
def test_agent(truespec_rules):
    truespec_rules("rules.yml", packs=["confirmation"]).assert_complies(run_my_agent())

def test_rewrite(assert_equivalent):
    assert_equivalent("sql", OLD, NEW, schema=DDL, dialect="postgres")
```
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from truespec.testing import Complies


@pytest.fixture(scope="session")
def assert_equivalent() -> Callable[..., None]:
    """`truespec.testing.assert_equivalent`: fails unless a candidate is proved equivalent to its oracle."""
    from truespec.testing import assert_equivalent

    return assert_equivalent


@pytest.fixture(scope="session")
def truespec_rules() -> Callable[..., Complies]:
    """Compiles rule files and packs."""
    from truespec.rules.language import load_file
    from truespec.rules.packs import pack
    from truespec.testing import Complies

    def compiled(*files: str | Path, packs: Sequence[str] = ()) -> Complies:
        rules = [rule for name in packs for rule in pack(name)]
        for file in files:
            rules += load_file(Path(file))
        return Complies(rules)

    return compiled
