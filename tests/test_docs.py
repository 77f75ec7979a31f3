"""The documentation is true: its blocks run, its tables and its navigation are complete, and it builds."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from needs import ROOT, module
from pages import PageRunner, blocks, inside, parse_command
from truespec.domains.registry import DOMAINS

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))


def loaded(name: str) -> ModuleType:
    """A file of `tools/` as a module."""
    spec = importlib.util.spec_from_file_location(f"tool_{name}", ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[f"tool_{name}"] = made
    spec.loader.exec_module(made)
    return made


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return loaded("docs")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).with_suffix("").as_posix())
def test_every_block_of_a_page_runs_as_shown(page: Path, tmp_path: Path) -> None:
    runner = PageRunner(tmp_path)
    with inside(tmp_path):
        for block in blocks(page.read_text("utf-8")):
            try:
                runner.run(block)
            except Exception as error:
                raise AssertionError(f"{page.relative_to(ROOT)}, line {block.line}: {error}") from error


def test_generated_tables_are_current(tool: ModuleType) -> None:
    stale = [
        str(page.relative_to(ROOT))
        for page in PAGES
        if tool.filled(page.read_text("utf-8")) != page.read_text("utf-8")
    ]
    assert not stale, "'python tools/docs.py' makes the tables anew"


def test_each_verifier_has_a_current_picture() -> None:
    tool = loaded("pictures")
    text = (DOCS / "explanation" / "verifiers.md").read_text("utf-8")
    sections = {part.split(":")[0]: part for part in text.split("\n## ")[1:]}
    assert set(DOMAINS) <= sections.keys()
    for name, section in sections.items():
        picture = tool.PICTURES[name]
        assert f"![{picture.title}](pictures/{name}.svg)" in section, (
            "a section shows the picture of its name"
        )
    for name, picture in tool.PICTURES.items():
        assert (tool.FOLDER / f"{name}.svg").read_text("utf-8") == tool.draw(picture), (
            "'python tools/pictures.py'"
        )


def test_each_domain_has_a_page_with_its_context() -> None:
    for domain in DOMAINS:
        text = (DOCS / "reference" / f"{domain}.md").read_text("utf-8")
        headings = [line[3:] for line in text.splitlines() if line.startswith("## ")]
        assert headings == [
            "Context",
            "Language",
            "Meaning",
            "What is proved",
            "Out of scope",
            "Limits",
            "Examples",
        ]
        assert f"<!-- context: {domain} -->" in text


def test_every_page_is_in_the_navigation() -> None:
    def named(entry: Any) -> list[str]:
        if isinstance(entry, str):
            return [entry]
        return [
            name for below in (entry.values() if isinstance(entry, dict) else entry) for name in named(below)
        ]

    told = named(yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"])
    assert sorted(told) == sorted(page.relative_to(DOCS).as_posix() for page in PAGES)


@pytest.mark.slow
def test_the_site_builds_offline_with_strict_links(tmp_path: Path, tool: ModuleType) -> None:
    module("material")
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1", "http_proxy": "http://127.0.0.1:9"}
    environment |= {"https_proxy": "http://127.0.0.1:9"}
    command = [sys.executable, "-m", "mkdocs", "build", "-q", "--strict", "-d", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert tool.broken(tmp_path / "site") == []


def test_a_link_to_nowhere_is_found(tmp_path: Path, tool: ModuleType) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="b.html">x</a><a href="#no">y</a><script src="https://x.y/z.js">'
    )
    assert len(tool.broken(tmp_path)) == 3


@pytest.mark.parametrize(
    "line",
    ["truespec batch --no-such-option", "truespec nothing", "pip install 'truespec[no]'", "make nothing"],
)
def test_a_command_that_does_not_exist_is_found(line: str) -> None:
    with pytest.raises(AssertionError):
        parse_command(line)


def test_an_output_that_differs_is_found(tmp_path: Path) -> None:
    page = "```console\n$ truespec verify regex a b\nequivalent\n```\n"
    page += "```python\n>>> 1 + 1\n3\n```\n```ruby\nx\n```\n"
    for block in blocks(page):
        with pytest.raises(AssertionError):
            PageRunner(tmp_path).run(block)


def test_every_extra_is_listed_where_a_newcomer_installs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    page = (DOCS / "start" / "install.md").read_text("utf-8")
    assert not [name for name in project["optional-dependencies"] if f"`{name}`" not in page]
