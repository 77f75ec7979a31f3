"""JSON as trace files hold it: numbers of any size, and what cannot be read is a `JSONDecodeError`."""

from __future__ import annotations

from json import JSONDecodeError

import pytest

from truespec.traces.files import loads


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1, -(10**19) + 1, 10**40, -(10**40)])
@pytest.mark.parametrize("text", ["%d", "[%d]", '{"a": %d, "b": 1}', "[1,%d]"])
def test_integers_of_any_size_stay_integers(number: int, text: str) -> None:
    value = loads(text % number)
    found = value if isinstance(value, int) else value["a"] if isinstance(value, dict) else value[-1]
    assert (found, type(found)) == (number, int)


@pytest.mark.parametrize("text", [b"9" * 5_000, b"[" + b"9" * 5_000 + b"]", b"\xff\xfe{", b"[" * 5_000])
def test_what_cannot_be_read_is_no_other_error(text: bytes) -> None:
    with pytest.raises(JSONDecodeError):
        loads(text)
