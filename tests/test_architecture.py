"""The map is true: every path it names exists, and every room stands on it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from needs import ROOT

READMES = sorted((ROOT / "src").rglob("README.md"))
TEXT = (ROOT / "ARCHITECTURE.md").read_text("utf-8") + (ROOT / "GLOSSARY.md").read_text("utf-8")


def test_every_path_exists() -> None:
    named = re.findall(r"`([\w./-]+(?:\.py|\.json|\.md|/))`", TEXT)
    named = [path for path in named if "<" not in path]
    assert len(named) > 10
    rooms = ROOT / "src" / "truespec"
    lost = [path for path in named if not ((ROOT / path).exists() or (rooms / path).exists())]
    # Folders may be named inside the room that the sentence is about.
    lost = [path for path in lost if not list(rooms.rglob(path.rstrip("/")))]
    assert not lost


@pytest.mark.parametrize("readme", READMES, ids=lambda path: path.parent.name)
def test_every_path_that_a_room_names_exists(readme: Path) -> None:
    named = re.findall(r"`([\w./-]+(?:\.py|\.json|\.md|/))`", readme.read_text("utf-8"))
    rooms = ROOT / "src" / "truespec"
    places = (ROOT, rooms, readme.parent, *readme.parent.parents[:2])
    lost = [path for path in named if not any((place / path).exists() for place in places)]
    # A design may name a file of another room by its name alone, as the map does.
    assert not [path for path in lost if not list(rooms.rglob(path.rstrip("/")))]


def test_the_map_is_short_and_leads_to_every_design() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    assert len(text.splitlines()) <= 150
    linked = set(re.findall(r"\]\(([\w./-]+)\)", text))
    assert {path for path in linked if not (ROOT / path).is_file()} == set()
    designs = {str(path.relative_to(ROOT)) for path in READMES if "bundled" not in path.parts}
    assert designs <= linked


def test_every_room_is_on_the_map() -> None:
    rooms = {p.name for p in (ROOT / "src" / "truespec").iterdir() if (p / "__init__.py").exists()}
    assert {room for room in rooms if f"`{room}/`" not in TEXT} == set()


BESIDE = {"conformance", "power", "snapshots"}
"""Folders of tests that belong to no room."""


def test_the_folders_of_the_tests_mirror_the_rooms() -> None:
    tests = ROOT / "tests"
    folders = {path.parent.relative_to(tests) for path in tests.rglob("test_*.py")}
    rooms = ROOT / "src" / "truespec"
    assert {str(path) for path in folders if not (rooms / path).is_dir()} == BESIDE
