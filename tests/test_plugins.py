"""Domains and formats of other packages: found by entry points, imported late, contained when broken."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from needs import ROOT

EXAMPLE = ROOT / "examples" / "plugin"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example package as an installer leaves it there."""
    folder = tmp_path_factory.mktemp("plugin")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=EXAMPLE, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def run(site: Path, *arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(site)}
    return subprocess.run(
        [sys.executable, *arguments], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


def truespec(site: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return run(site, "-m", "truespec", *arguments, cwd=cwd)


def test_the_example_passes_its_own_tests(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    options = ["-q", "-p", "no:cacheprovider", "-c", str(tmp_path / "pytest.ini"), "--import-mode=importlib"]
    done = run(installed, "-m", "pytest", *options, str(EXAMPLE / "tests"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_domain_of_another_package_is_used_like_our_own(installed: Path, tmp_path: Path) -> None:
    done = truespec(installed, "verify", "cron", "0 12 * * 1-5", "0 12 * * 1-4", "--json", cwd=tmp_path)
    verdict = json.loads(done.stdout)
    assert (done.returncode, verdict["relation"]) == (1, "stronger")
    assert verdict["evidence"]["counterexample"]["weekday"] == 5
    (tmp_path / "pairs.jsonl").write_text(
        '{"id": "a", "domain": "cron", "oracle": "*/30 * * * *", "candidate": "0,30 * * * *"}\n'
        '{"id": "b", "domain": "cron", "oracle": "* * * * *", "candidate": "* * * * 8"}\n'
    )
    batch = ["batch", "pairs.jsonl", "-o", "out.jsonl", "--jobs", "1"]
    assert truespec(installed, *batch, cwd=tmp_path).returncode == 0
    answers = [json.loads(line)["answer"] for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert answers == ["equivalent", "invalid"]
    again = truespec(installed, "recheck", "out.jsonl", "--pairs", "pairs.jsonl", "--jobs", "1", cwd=tmp_path)
    assert again.returncode == 0, again.stdout + again.stderr
    schema = json.loads(truespec(installed, "schema", "pair", cwd=tmp_path).stdout)
    assert "cron" in schema["properties"]["domain"]["enum"]
    wrong = tmp_path / "wrong.json"
    wrong.write_text('{"dais": "both"}')
    refused = truespec(
        installed, "verify", "cron", "* * * * *", "* * * * *", "--context", str(wrong), cwd=tmp_path
    )
    assert refused.returncode == 2
    assert "did you mean 'days'" in refused.stderr


def test_a_format_of_another_package_is_recognised(installed: Path, tmp_path: Path) -> None:
    log = '# chatlog 1\nuser: Refund order 7.\ncall refund {"order": 7}\nresult done\nwhat is this\n'
    (tmp_path / "a.chatlog").write_text(log)
    done = truespec(installed, "trace", "import", "a.chatlog", "-o", "traces.jsonl", cwd=tmp_path)
    (trace,) = map(json.loads, (tmp_path / "traces.jsonl").read_text().splitlines())
    assert trace["source"]["format"] == "chatlog"
    assert [message["role"] for message in trace["messages"]] == ["user", "assistant", "tool"]
    assert "line 5" in done.stdout + done.stderr


ENTRY_POINTS = """
[truespec.domains]
regex = json:loads
lost = no_such:X
alien = json.decoder:JSONDecoder
[truespec.importers]
bad = no_such
"""
BROKEN = """
import warnings, sys
import truespec
from truespec.domains.registry import DOMAINS, load
from truespec.traces.importers.registry import detect, TraceFile
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    print(list(DOMAINS)[-2:])
    print(detect(TraceFile(__import__("pathlib").Path(sys.argv[1]))))
print(sorted(str(one.message) for one in told))
for name in ("lost", "alien"):
    try:
        load(name)
    except truespec.UsageError as error:
        print(error)
print(truespec.verify("regex", "a", "a").answer.value)
"""


def install(metadata: Path) -> None:
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (metadata / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS)


@pytest.mark.parametrize("place", ["x-1.0.dist-info", "x.egg-info", "X.Dist-Info", "x.egg/EGG-INFO", "x.zip"])
def test_packages_are_found_wherever_python_finds_them(place: str, tmp_path: Path) -> None:
    site = tmp_path / "x.egg" if place.startswith("x.egg/") else tmp_path
    if place == "x.zip":
        install(tmp_path / "x" / "x-1.0.dist-info")
        site = Path(shutil.make_archive(str(tmp_path / "x"), "zip", tmp_path / "x"))
    else:
        install(tmp_path / place)
    script = "from truespec.traces.importers.registry import IMPORTERS; print(dict(IMPORTERS.added))"
    assert run(site, "-c", script).stdout == "{'bad': 'no_such'}\n"


def test_packages_of_other_finders_are_found(tmp_path: Path) -> None:
    install(tmp_path / "x-1.0.dist-info")
    script = """
import sys
from importlib.metadata import DistributionFinder, PathDistribution
from pathlib import Path
class Finder(DistributionFinder):
    def find_spec(self, *_): return None
    def find_distributions(self, context=None): return [PathDistribution(Path(sys.argv[1]))]
sys.meta_path.append(Finder())
from truespec.traces.importers.registry import IMPORTERS
print(dict(IMPORTERS.added))
"""
    elsewhere = tmp_path / "elsewhere"
    assert run(elsewhere, "-c", script, str(tmp_path / "x-1.0.dist-info")).stdout == "{'bad': 'no_such'}\n"


def test_importlib_is_not_asked_where_no_package_adds_anything(tmp_path: Path) -> None:
    script = "import sys; from truespec.plugins import Registry; Registry('truespec.none', {}).added; "
    done = run(tmp_path, "-c", script + "print('importlib.metadata' in sys.modules)")
    assert done.stdout == "False\n", done.stderr


def test_broken_packages_are_named_and_cost_nothing_else(tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    trace.write_text('[{"role": "user", "content": "hello"}]')
    install(tmp_path / "broken-1.0.dist-info")
    done = run(tmp_path, "-c", BROKEN, str(trace))
    assert done.returncode == 0, done.stderr
    names, form, told, lost, alien, answer = done.stdout.splitlines()
    assert (names, form, answer) == ("['alien', 'lost']", "openai", "equivalent")
    assert "'regex' of broken 1.0 is left out: this name is built in" in told
    assert "not tried as bad: the importer 'bad'" in told
    assert "cannot be loaded: ModuleNotFoundError" in lost
    assert "is no subclass of truespec.domains.contract.Domain" in alien


@pytest.mark.parametrize("command", [["--help"], ["verify", "regex", "a", "a"]])
def test_installed_packages_are_not_looked_at_without_need(command: Sequence[str], tmp_path: Path) -> None:
    script = (
        "import sys; sys.modules['importlib.metadata'] = None; from truespec.cli.main import main; main()"
    )
    if command[0] == "verify":
        script = (
            "from truespec.plugins import Registry; Registry._others = lambda self: 1 / 0; "
            "from truespec.cli.main import main; main()"
        )
    done = run(tmp_path, "-c", script, *command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
