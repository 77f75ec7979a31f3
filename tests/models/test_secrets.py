"""Keys are replaced wherever a model's words are kept."""

from __future__ import annotations

import pytest

from truespec.models.secrets import MARK, conceal

SHAPED = [
    "sk-proj-" + "a1B2" * 8,
    "sk-ant-api03-" + "a1B2" * 8,
    "sk-or-v1-" + "0f" * 32,
    "AIza" + "b" * 35,
    "hf_" + "c" * 34,
    "ghp_" + "d" * 36,
    "AKIA" + "E" * 16,
]


@pytest.mark.parametrize("key", SHAPED)
def test_what_is_shaped_like_a_key_goes(key: str) -> None:
    assert conceal(f"401: the key {key}, please", {}) == f"401: the key {MARK}, please"


def test_what_the_environment_calls_a_key_goes() -> None:
    known = {"MY_API_KEY": "hunter2hunter2", "HOME": "/somewhere/home", "SHORT_TOKEN": "abc"}
    assert conceal("hunter2hunter2 at /somewhere/home, abc", known) == f"{MARK} at /somewhere/home, abc"


def test_addresses_keep_their_host() -> None:
    assert conceal("https://me:word@host/v1", {}) == f"https://{MARK}@host/v1"
    assert conceal("Bearer " + "t" * 40, {}) == f"Bearer {MARK}"


@pytest.mark.parametrize("text", ["sk-[a-z]{20}", "∀x (Risk(x) → Ask(x))", "a-sk-b", "SELECT 'AIza'"])
def test_specifications_stay_as_they_are(text: str) -> None:
    assert conceal(text, {}) == text
