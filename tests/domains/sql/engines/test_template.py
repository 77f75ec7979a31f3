"""What a server's installation makes is kept and unpacked: alike, whole, and for the same programs alone."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from truespec.domains.sql.engines.server import Server
from truespec.domains.sql.engines.template import LAST, PACKED, Template
from truespec.solvers.scratch import CACHE, cache_folder
from truespec.verdict import ToolMissing


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache folder."""
    monkeypatch.setenv(CACHE, str(tmp_path / "cache"))
    cache_folder.cache_clear()
    yield tmp_path / "cache"
    cache_folder.cache_clear()


def install(tmp_path: Path) -> str:
    """A command that installs something, and counts how often it does."""
    count = tmp_path / "count"
    return f"mkdir -m 700 data empty && echo rows >data/table && ln -s table data/link && echo x >>{count}"


def filled(template: Template, folder: Path) -> dict[str, object]:
    """What a template makes of an empty folder."""
    folder.mkdir()
    descriptor = template.open()
    given = () if descriptor is None else (descriptor,)
    subprocess.run(["sh", "-c", template.command(descriptor)], cwd=folder, pass_fds=given, check=True)
    for one in given:
        os.close(one)
    return {
        str(path.relative_to(folder)): (path.lstat().st_mode, path.is_file() and path.read_text())
        for path in sorted(folder.rglob("*"))
        if path.name not in (PACKED, LAST)
    }


def times(tmp_path: Path) -> int:
    """How often it was installed."""
    return len((tmp_path / "count").read_text().splitlines())


def test_what_was_installed_once_is_unpacked_later(tmp_path: Path, cache: Path) -> None:
    template = Template("Rows", install(tmp_path), ["/bin/sh"])
    first = filled(template, tmp_path / "one")
    assert set(first) == {"data", "data/link", "data/table", "empty"}
    assert not list(cache.iterdir()), "nothing is kept before a server answered"
    template.keep(tmp_path / "one")
    assert not (tmp_path / "one" / PACKED).exists()
    assert filled(Template("Rows", install(tmp_path), ["/bin/sh"]), tmp_path / "two") == first
    assert times(tmp_path) == 1
    assert [path.name.partition("-")[0] for path in cache.iterdir()] == ["rows"]


def test_other_programs_and_other_ways_to_install_have_templates_of_their_own(
    tmp_path: Path, cache: Path
) -> None:
    program = tmp_path / "program"
    program.write_text("1")
    template = Template("Rows", install(tmp_path), [str(program)])
    filled(template, tmp_path / "one")
    template.keep(tmp_path / "one")
    assert Template("Rows", install(tmp_path) + " && true", [str(program)]).open() is None
    program.write_text("version 2")
    assert Template("Rows", install(tmp_path), [str(program)]).open() is None


def test_a_damaged_template_is_installed_anew(tmp_path: Path, cache: Path) -> None:
    template = Template("Rows", install(tmp_path), [])
    first = filled(template, tmp_path / "one")
    template.keep(tmp_path / "one")
    (kept,) = cache.iterdir()
    kept.write_bytes(kept.read_bytes()[:1500])
    assert filled(template, tmp_path / "two") == first
    template.keep(tmp_path / "two")
    assert filled(template, tmp_path / "three") == first
    assert times(tmp_path) == 2
    template.forget()
    assert template.open() is None


def test_a_link_is_neither_kept_nor_opened(tmp_path: Path, cache: Path) -> None:
    """The server's account owns its folder: it must not make us read a file of ours for it."""
    secret = tmp_path / "secret"
    secret.write_text("secret")
    template = Template("Rows", install(tmp_path), [])
    filled(template, tmp_path / "one")
    (tmp_path / "one" / PACKED).unlink()
    (tmp_path / "one" / PACKED).symlink_to(secret)
    template.keep(tmp_path / "one")
    assert not list(cache.iterdir())
    filled(template, tmp_path / "two")
    template.keep(tmp_path / "two")
    (kept,) = cache.iterdir()
    kept.unlink()
    kept.symlink_to(secret)
    assert template.open() is None


@pytest.mark.parametrize("kept", [False, True])
def test_without_tar_it_is_installed_each_time(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    template = Template("Rows", install(tmp_path), [])
    if kept:
        filled(template, tmp_path / "zero")
        template.keep(tmp_path / "zero")
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in ("sh", "mkdir", "ln", "find", "rm"):
        (tools / tool).symlink_to(shutil.which(tool) or tool)
    monkeypatch.setenv("PATH", str(tools))
    for name in ("one", "two"):
        assert "data/table" in filled(template, tmp_path / name)
        template.keep(tmp_path / name)
    assert times(tmp_path) == 2 + kept
    assert len(list(cache.iterdir())) == kept


def test_a_cache_that_cannot_be_written_costs_no_start(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    template = Template("Rows", install(tmp_path), [])
    filled(template, tmp_path / "one")
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    template.keep(tmp_path / "one")
    assert not list(cache.iterdir())


def test_a_server_that_does_not_come_up_from_a_template_forgets_it(cache: Path) -> None:
    def attempt() -> int:
        if (server.directory / "answers").exists():
            return 7
        raise ConnectionError("not yet")

    for command in (["touch", "answers"], ["false"], ["touch", "answers"]):
        server = Server("Rows", "nobody", "echo rows >table", ["/bin/sh"], lambda _, c=command: c, "KILL")  # type: ignore[misc]
        try:
            if command == ["false"]:
                server._watcher.kill()
                with pytest.raises(ToolMissing, match="did not start: not yet"):
                    server.connect(attempt, (ConnectionError,))
                assert not list(cache.iterdir()), "what does not come up is not unpacked again"
            else:
                assert server.connect(attempt, (ConnectionError,)) == 7
                assert len(list(cache.iterdir())) == 1
        finally:
            server.stop()
