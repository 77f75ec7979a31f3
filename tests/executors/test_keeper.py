"""The keeper of a run's calls: it outlives the run, makes each call once, ends by itself."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import pytest

from truespec.executors import keeper
from truespec.executors.keeper import keep, kept_calls
from truespec.models.call import Call, Reply
from truespec.models.contract import ModelError
from truespec.store.calls import CallLedger

MODEL = "python:keepers_model:reply"
SOURCE = """
import os, pathlib, time

here = pathlib.Path(__file__).parent
(here / "pid").write_text(str(os.getpid()))

def reply(call):
    with (here / "log").open("a") as file:
        file.write(call.prompt + "\\n")
    if call.prompt == "wait":
        while not (here / "go").exists():
            time.sleep(0.01)
    if call.prompt == "fail" and not (here / "mended").exists():
        raise ValueError("no such luck")
    if call.prompt == "number":
        return 7
    return "said " + call.prompt
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a model in it, which is importable there, in this process and in the keeper."""
    (tmp_path / "keepers_model.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("keepers_model", None)
    return tmp_path


def ask(here: Path, *prompts: str) -> dict[str, Reply | ModelError]:
    path = here / "calls.sqlite"
    with CallLedger(path) as ledger:
        calls = [Call(MODEL, "", prompt) for prompt in prompts]
        return {call.prompt: outcome for call, outcome in kept_calls(calls, ledger, path, concurrency=2)}


def made(here: Path) -> list[str]:
    return (here / "log").read_text().split()


def text(outcome: Reply | ModelError) -> str:
    return outcome.text if isinstance(outcome, Reply) else str(outcome)


def free(folder: Path) -> bool:
    """Whether no keeper holds the folder."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(opened)
    return True


def test_calls_are_made_once_and_the_keeper_is_gone(here: Path) -> None:
    found = ask(here, *"abcdeab")
    assert {prompt: text(outcome) for prompt, outcome in found.items()} == {p: f"said {p}" for p in "abcde"}
    assert text(ask(here, "a", "f")["a"]) == "said a"
    assert sorted(made(here)) == list("abcdef")
    until = time.monotonic() + 60
    while not free(here):
        assert time.monotonic() < until, "the keeper ends when the run does"
        time.sleep(0.01)
    left = {path.name for path in here.iterdir()} - {"__pycache__", "keepers_model.py", "log", "pid"}
    assert left == {"calls.sqlite"}


def test_failures_are_told_and_made_again(here: Path) -> None:
    found = ask(here, "fail", "number", "a")
    assert "no such luck" in text(found["fail"])
    assert "expected a string" in text(found["number"])
    assert text(found["a"]) == "said a"
    (here / "mended").touch()
    assert text(ask(here, "fail")["fail"]) == "said fail"
    assert sorted(made(here)) == ["a", "fail", "fail", "number"]


def test_a_model_that_cannot_be_opened_fails(here: Path) -> None:
    path = here / "calls.sqlite"
    with CallLedger(path) as ledger:
        ((_, outcome),) = kept_calls([Call("python:no_such_module:f", "", "?")], ledger, path)
    assert "no_such_module" in text(outcome)


def test_a_call_under_way_survives_the_run(here: Path) -> None:
    path = here / "calls.sqlite"
    with CallLedger(path) as ledger:
        ledger.want(Call(MODEL, "", "wait"))  # what a run had done when it was killed
    first = Thread(target=keep, args=(path,), kwargs={"idle": 0.2})
    first.start()
    while not (here / "log").exists():
        time.sleep(0.01)
    resumed: dict[str, Reply | ModelError] = {}
    second = Thread(target=lambda: resumed.update(ask(here, "wait")))
    second.start()
    time.sleep(0.3)
    assert not resumed, "the resumed run waits for the call under way"
    (here / "go").touch()
    first.join()
    second.join()
    assert text(resumed["wait"]) == "said wait"
    assert made(here) == ["wait"]
    assert free(here)


def test_there_is_one_keeper_a_folder(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = here / "calls.sqlite"
    with CallLedger(path) as ledger:
        ledger.want(Call(MODEL, "", "a"))
    opened = os.open(here, os.O_RDONLY)
    fcntl.flock(opened, fcntl.LOCK_EX)
    monkeypatch.setattr(keeper, "TAKEOVER_SECONDS", 0.05)
    keep(path)
    assert not (here / "log").exists(), "the other one makes the call"
    os.close(opened)
    keep(path, idle=0.05)
    assert made(here) == ["a"]


def test_a_keeper_that_cannot_start_is_told(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(ModelError, match="ended 3 times"):
        ask(here, "a")


def test_the_group_of_the_run_may_be_killed(here: Path) -> None:
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path; "
        "from truespec.store.calls import CallLedger; from truespec.models.call import Call; "
        "from truespec.executors.keeper import kept_calls; path = Path(sys.argv[1]) / 'calls.sqlite'; "
        f"list(kept_calls([Call({MODEL!r}, '', 'wait')], CallLedger(path), path))"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(here)], start_new_session=True) as process:
        while not (here / "log").exists():
            time.sleep(0.01)
        os.killpg(process.pid, 9)
    (here / "go").touch()
    assert text(ask(here, "wait")["wait"]) == "said wait"
    assert made(here) == ["wait"]


def test_a_keeper_that_is_killed_is_replaced(here: Path) -> None:
    found: dict[str, Reply | ModelError] = {}
    run = Thread(target=lambda: found.update(ask(here, "wait", "a")))
    run.start()
    while not (here / "log").exists() or set(made(here)) != {"wait", "a"}:
        time.sleep(0.01)
    os.kill(int((here / "pid").read_text()), 9)
    (here / "go").touch()
    run.join()
    assert {prompt: text(outcome) for prompt, outcome in found.items()} == {
        "wait": "said wait",
        "a": "said a",
    }
    assert made(here).count("wait") == 2, "the call under way is lost with its keeper"


def test_two_runs_in_one_folder_share_their_calls(here: Path) -> None:
    prompts = [str(number) for number in range(40)]
    found: list[dict[str, Reply | ModelError]] = []
    runs = [Thread(target=lambda: found.append(ask(here, *prompts))) for _ in range(3)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert [{prompt: text(outcome) for prompt, outcome in one.items()} for one in found] == [
        {prompt: f"said {prompt}" for prompt in prompts}
    ] * 3
    assert sorted(made(here)) == sorted(prompts)


def test_a_ledger_takes_half_a_character(tmp_path: Path) -> None:
    call = Call(MODEL, "", "hi \ud800", subject="output_spec/a\ud800b")
    with CallLedger(tmp_path / "calls.sqlite") as ledger:
        ledger.want(call)
        ledger.fail(call, "no \ud800")
        ledger.put(call, Reply("ok \ud800"))
        assert ledger.get(call) == Reply("ok \ud800")
