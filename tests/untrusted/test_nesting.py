"""Depth is measured without recursion, and before any parser sees the text."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import orjson
import pytest
import yaml

from truespec.rules.yaml_text import load_yaml
from truespec.store.pairs import parse_json
from truespec.traces.files import loads
from truespec.untrusted.nesting import DEPTH, TooDeep, check_json, is_deep, json_depth, yaml_events
from truespec.verdict import SpecificationError

LETTERS = ['"', "\\", "[", "]", "{", "}", "a", "é", "\n", "\\\\", '\\"', "\ud800"]


def depth_of(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth_of, value.values()), default=0)
    return 1 + max(map(depth_of, value), default=0) if isinstance(value, list) else 0


def drawn(chance: random.Random, depth: int) -> object:
    kind = chance.randrange(4) if depth else 0
    if kind == 1:
        return [drawn(chance, depth - 1) for _ in range(chance.randrange(3))]
    if kind == 2:
        return {
            "".join(chance.choices(LETTERS, k=3)) + str(n): drawn(chance, depth - 1)
            for n in range(chance.randrange(3))
        }
    return "".join(chance.choices(LETTERS, k=chance.randrange(6)))


def test_the_depth_is_that_of_the_value() -> None:
    chance = random.Random(1)
    for _ in range(3_000):
        value = drawn(chance, 6)
        for ascii_ in (True, False):
            text = json.dumps(value, ensure_ascii=ascii_)
            assert json_depth(text) == depth_of(value), text


@pytest.mark.parametrize(
    "text", ["[" * 30_000, '{"a":' * 30_000, "[{" * 15_000 + "}]" * 15_000, "[" * 600 + "]" * 600]
)
def test_deep_json_is_refused_at_every_gate(text: str) -> None:
    with pytest.raises(TooDeep, match=f"more than {DEPTH} levels"):
        check_json(text)
    with pytest.raises(TooDeep):
        check_json(text.encode())
    with pytest.raises(ValueError, match="levels deep"):
        parse_json(text)
    with pytest.raises(ValueError, match="levels deep"):
        loads(text.encode())


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_the_limit_is_the_same_for_a_text_and_for_its_value(opening: str, closing: str) -> None:
    for depth in (DEPTH - 1, DEPTH):
        text = opening * depth + "1" + closing * depth
        check_json(text)
        assert depth_of(loads(text)) == depth
        assert not is_deep(loads(text))
    for depth in (DEPTH + 1, 1_000):
        text = opening * depth + "1" + closing * depth
        assert is_deep(orjson.loads(text))
        with pytest.raises(ValueError, match="levels deep"):
            loads(text)
        with pytest.raises(ValueError, match="levels deep"):
            loads(text.replace("1", "NaN"))  # which the fast parser refuses


def test_the_fast_parser_stops_at_its_own_limit() -> None:
    for text in ("[" * 3_000_000, "[" * 1_000_000 + "]" * 1_000_000, '{"a":[' * 500_000):
        with pytest.raises(orjson.JSONDecodeError):
            orjson.loads(text)


def test_many_brackets_that_are_not_deep_are_read() -> None:
    text = json.dumps([["[" * 500, {}]] * 1_000)
    check_json(text)
    assert len(loads(text)) == 1_000


@pytest.mark.parametrize(
    "text", ["[" * 30_000, "[" * 600 + "]" * 600, "{a: " * 600, "- " * 600 + "1", "? " * 600]
)
def test_deep_yaml_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(TooDeep) as found:
        list(yaml_events(text, yaml.SafeLoader))
    assert found.value.place is not None
    with pytest.raises(SpecificationError, match=r"levels deep.*column"):
        load_yaml(f"rules: {text}" if text[0] in "[{" else text, "file.yml")


@pytest.mark.parametrize("levels", [600, 30_000])
def test_a_deep_rule_file_ends_with_a_sentence(levels: int, tmp_path: Path) -> None:
    path = tmp_path / "rules.yml"
    path.write_text("rules: " + "[" * levels)
    command = [sys.executable, "-m", "truespec", "rules", "check", "--rules", str(path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "levels deep" in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize("number", [".inf", "-.Inf", ".NaN", "1.0e+400"])
def test_a_number_that_is_not_finite_is_refused_with_its_place(number: str) -> None:
    with pytest.raises(SpecificationError, match=r"no finite number.*line 2, column 5"):
        load_yaml(f"a: 1\ngt: {number}\n", "file.yml")
    assert load_yaml(f"text: '{number}'\nn: 1.5e+10") == {"text": number, "n": 1.5e10}


def test_a_value_is_measured_as_level_by_level() -> None:
    chance = random.Random(2)
    for _ in range(400):
        value = drawn(chance, 7)
        text = json.dumps(value).replace("\\ud800", "")  # half a character, which orjson refuses
        for most in range(1, 8):
            for parsed in (json.loads(text), orjson.loads(text)):
                assert is_deep(parsed, most) == (depth_of(value) > most), value
