"""The package says about itself what is true, and holds what it should."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

import truespec
from needs import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


@pytest.fixture(scope="module")
def hook() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> tarfile.TarFile:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (made,) = folder.glob("*.tar.gz")
    return tarfile.open(made)


def test_the_version_stands_in_one_place() -> None:
    assert "version" in PROJECT["dynamic"]
    assert "version" not in PROJECT
    stated = re.compile(rf'"{re.escape(truespec.__version__)}"')
    found = [path for path in (ROOT / "src").rglob("*.py") if stated.search(path.read_text("utf-8"))]
    assert found == [ROOT / "src" / "truespec" / "version.py"]


def test_the_sdist_holds_the_source_and_nothing_else(sdist: tarfile.TarFile) -> None:
    names = [name.split("/", 1)[1] for name in sdist.getnames()]
    top = {name.split("/")[0] for name in names}
    assert top - {".gitignore"} == {  # hatchling always packs that one
        "src",
        "docs",
        "README.md",
        "LICENSE",
        "ARCHITECTURE.md",
        "hatch_build.py",
        "pyproject.toml",
        "PKG-INFO",
    }
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(names) - {"PKG-INFO"} <= set(tracked.stdout.split("\n"))
    assert not [name for name in names if re.search(r"\.(pyc|vo|vok|vos|glob|aux|cache)$|__pycache__", name)]


def test_the_metadata_names_the_project(sdist: tarfile.TarFile) -> None:
    (name,) = [name for name in sdist.getnames() if name.endswith("PKG-INFO")]
    file = sdist.extractfile(name)
    assert file is not None
    text = file.read().decode("utf-8")
    assert f"\nVersion: {truespec.__version__}\n" in text
    assert "\nAuthor: The truespec authors\n" in text
    assert "](docs/" not in text, "an index has no files beside the README"


def test_the_address_comes_from_the_environment_or_the_sdist(
    hook: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for told, address in {
        "https://example.org/a/b.git": "https://example.org/a/b",
        "git@example.org:a/b.git": "https://example.org/a/b",
        "ssh://git@example.org/a/b": "https://example.org/a/b",
        "/srv/git/b": "",
        "file:///srv/b": "",
    }.items():
        monkeypatch.setenv("TRUESPEC_REPOSITORY", told)
        assert hook.repository(tmp_path) == address
    monkeypatch.delenv("TRUESPEC_REPOSITORY")
    assert hook.repository(tmp_path) == ""
    (tmp_path / "PKG-INFO").write_text("Name: x\nProject-URL: Repository, https://example.org/c/d\n")
    assert hook.repository(tmp_path) == "https://example.org/c/d"


def test_the_readme_of_an_index_has_absolute_links_or_none(hook: ModuleType) -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    with_address = hook.standalone(readme, "https://example.org/a/b")
    assert "](https://example.org/a/b/raw/main/docs/report.png)" in with_address
    assert "docs/report.png" not in hook.standalone(readme, "")


def test_declared_extras_are_tried_by_the_smoke_test() -> None:
    text = (ROOT / "tools" / "smoke.py").read_text("utf-8")
    assert set(PROJECT["optional-dependencies"]) <= set(re.findall(r"^def (\w+)\(", text, re.M))
