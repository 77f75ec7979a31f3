"""The readers of CLEVER and Verina."""

from __future__ import annotations

from pathlib import Path

import pytest

import needs
from truespec.benchmark.sources import clever, verina
from truespec.benchmark.task import Skipped, Task
from truespec.domains.rocq.context import read_context
from truespec.domains.rocq.screen import screen
from truespec.verdict import UsageError

VERINA = """(* !benchmark @start import type=task *)
Require Import ZArith.
Open Scope Z_scope.
(* !benchmark @end import *)
(* !benchmark @start precond_aux *)
(* !benchmark @end precond_aux *)
Definition half_precond (a : Z) : bool :=
  (* !benchmark @start precond *)
  a >? 0
  (* !benchmark @end precond *).
(* !benchmark @start code *)
a / 2
(* !benchmark @end code *).
(* !benchmark @start postcond_aux *)
Definition twice (x : Z) : Z := x + x.
(* !benchmark @end postcond_aux *)
(* !benchmark @start postcond *)
twice result <=? a
(* !benchmark @end postcond *)
"""
RECORD = """{"coq_signature": {"name": "half", "parameters": [{"param_name": "a", "param_type": "Z"}],
"return_type": "Z"}}"""


def test_a_verina_task(tmp_path: Path) -> None:
    folder = tmp_path / "verina_basic_1"
    folder.mkdir()
    (folder / "task.v").write_text(VERINA)
    (folder / "task.json").write_text(RECORD)
    (folder / "description.txt").write_text("Halve.\n")
    (task,) = verina.read(tmp_path)
    assert isinstance(task, Task)
    assert task.context["signature"] == "(a : Z) (result : Z) : bool"
    assert task.oracle.startswith("Definition twice")
    assert "implb (a >? 0)" in task.oracle
    assert task.tags == ("scalar",)


@pytest.mark.parametrize("name", ["task.json", "description.txt"])
def test_a_broken_verina_folder_is_skipped(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "verina_basic_1"
    folder.mkdir()
    (folder / "task.v").write_text(VERINA)
    (folder / "task.json").write_text(RECORD)
    (folder / "description.txt").write_text("Halve.\n")
    (folder / name).unlink()
    (skipped,) = verina.read(tmp_path)
    assert isinstance(skipped, Skipped)


@pytest.mark.parametrize("read", [verina.read, clever.read])
def test_an_empty_folder_is_a_usage_error(tmp_path: Path, read) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UsageError):
        list(read(tmp_path))


@pytest.mark.parametrize(
    ("lean", "gallina"),
    [
        ("List (List Int)", "list (list Z)"),
        ("Option String", "option string"),
        ("Int × Nat × Bool", "(Z * (nat * bool)%type)%type"),
        ("(Int × Int)", "(Z * Z)%type"),
    ],
)
def test_types(lean: str, gallina: str) -> None:
    assert clever.gallina_type(lean) in (gallina, gallina.replace("(nat * bool)%type", "(nat * bool)"))


@pytest.mark.parametrize("lean", ["Rat", "List Float", "Std.HashMap String String", "List", "(Int"])
def test_types_without_a_counterpart(lean: str) -> None:
    with pytest.raises(ValueError, match="type"):
        clever.gallina_type(lean)


def test_verina_as_published() -> None:
    records = list(verina.read(needs.sources("rocq/verina_coq")))
    tasks = [record for record in records if isinstance(record, Task)]
    assert len(records) == 189
    assert len(tasks) >= 170
    assert len({task.id for task in tasks}) == len(tasks)
    for task in tasks:
        read_context(task.context)
        assert "spec" in screen(task.oracle).definitions


def test_clever_as_published() -> None:
    records = list(clever.read(needs.sources("rocq/clever")))
    tasks = [record for record in records if isinstance(record, Task)]
    assert len(records) == 161
    assert len(tasks) >= 140
    assert all(task.statement and task.extra["lean"] for task in tasks)
    for task in tasks:
        read_context(task.context)
