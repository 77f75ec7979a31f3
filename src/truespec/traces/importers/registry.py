"""The formats, in the order in which a file is tried against them.

Other packages add formats by entry points of the group `truespec.importers`; `docs/extend/importer.md` has
the contract. A file is tried against theirs first: the last of ours takes whatever looks like a conversation.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path

from truespec.plugins import PluginWarning, Registry
from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.coverage import tell_uncovered
from truespec.traces.importers.references import Items
from truespec.traces.importers.shared import Reader
from truespec.traces.importers.sound import sound
from truespec.traces.joins import Joins, joins_beside
from truespec.traces.trace import Trace, TraceError
from truespec.untrusted.outputs import belongs_to, named
from truespec.untrusted.unpack import Budget

BUILT_IN: dict[str, str] = {
    "truespec": "truespec.traces.importers.normalised",
    "guard": "truespec.traces.importers.guard_log",
    "inspect": "truespec.traces.importers.inspect_eval",
    "tau2": "truespec.traces.importers.tau2",
    "tau-bench": "truespec.traces.importers.tau_bench",
    "vscode-chat": "truespec.traces.importers.vscode_chat",
    "copilot-replay": "truespec.traces.importers.copilot_replay",
    "trail": "truespec.traces.importers.trail",
    "langfuse": "truespec.traces.importers.langfuse",
    "otlp": "truespec.traces.importers.otlp",
    "jaeger": "truespec.traces.importers.jaeger",
    "zipkin": "truespec.traces.importers.zipkin",
    "openinference": "truespec.traces.importers.openinference",
    "langsmith": "truespec.traces.importers.langsmith",
    "langchain-events": "truespec.traces.importers.langchain_events",
    "span-rows": "truespec.traces.importers.span_rows",
    "platforms": "truespec.traces.importers.platforms",
    "atif": "truespec.traces.importers.atif",
    "swe-agent": "truespec.traces.importers.swe_agent",
    "openhands": "truespec.traces.importers.openhands",
    "claude-code": "truespec.traces.importers.claude_code",
    "agentrx": "truespec.traces.importers.agentrx",
    "pydantic-ai": "truespec.traces.importers.pydantic_ai",
    "openai-agents": "truespec.traces.importers.agents_sdk",
    "mini-swe-agent": "truespec.traces.importers.mini_swe_agent",
    "chat-apps": "truespec.traces.importers.chat_apps",
    "gemini": "truespec.traces.importers.gemini",
    "gemini-interactions": "truespec.traces.importers.interactions",
    "aider": "truespec.traces.importers.aider",
    "cohere": "truespec.traces.importers.cohere",
    "bedrock-agents": "truespec.traces.importers.bedrock_agents",
    "openai-realtime": "truespec.traces.importers.realtime",
    "copilot-cli": "truespec.traces.importers.copilot_cli",
    "adk-evals": "truespec.traces.importers.adk_evals",
    "smolagents": "truespec.traces.importers.smolagents",
    "agent-steps": "truespec.traces.importers.agent_steps",
    "openai-assistants": "truespec.traces.importers.assistants",
    "codex": "truespec.traces.importers.codex",
    "cli-sessions": "truespec.traces.importers.cli_sessions",
    "cline": "truespec.traces.importers.cline",
    "kiro": "truespec.traces.importers.kiro",
    "bfcl": "truespec.traces.importers.bfcl",
    "crewai": "truespec.traces.importers.crewai",
    "toolbench": "truespec.traces.importers.toolbench",
    "autogen-log": "truespec.traces.importers.autogen_log",
    "acp-log": "truespec.traces.importers.acp_log",
    "mcp-log": "truespec.traces.importers.mcp_log",
    "har": "truespec.traces.importers.har",
    "cassettes": "truespec.traces.importers.cassettes",
    "sharegpt": "truespec.traces.importers.sharegpt",
    "ag-ui": "truespec.traces.importers.ag_ui",
    "stream": "truespec.traces.importers.streamed",
    "anthropic": "truespec.traces.importers.anthropic",
    "openai-responses": "truespec.traces.importers.openai_responses",
    "openai": "truespec.traces.importers.openai",
    "table": "truespec.traces.importers.tables",
    "structure": "truespec.traces.importers.structure",
}
"""Name to module; narrower shapes stand before the wider ones that would also take their files."""

IMPORTERS = Registry("truespec.importers", BUILT_IN)
"""The formats that come with truespec, then those of other packages."""

_UNREADABLE = (LookupError, TypeError, ValueError, AttributeError, RecursionError, OverflowError, OSError)
SUFFIXES = (
    ".json",
    ".jsonl",
    ".ndjson",
    ".traj",
    ".har",
    ".eval",
    ".zip",
    ".json.gz",
    ".jsonl.gz",
    ".ndjson.gz",
    ".traj.gz",
    ".chat.history.md",
)
"""The endings of files that a folder is searched for."""
LOOKED_AT = (".csv", ".csv.gz", ".yaml", ".yml", ".yaml.gz", ".yml.gz")
"""The endings of tables and of YAML, which are taken from a folder where they are of a known format."""


def reader(name: str) -> Reader:
    """The importer of a format."""
    if name in BUILT_IN:
        return sys.modules.get(BUILT_IN[name]) or importlib.import_module(BUILT_IN[name])
    if name not in IMPORTERS:
        raise TraceError(f"no importer {name!r}; there are {', '.join(IMPORTERS)}")
    where = f"the importer {name!r} of {IMPORTERS.origin(name)} ({IMPORTERS[name]})"
    try:
        module = importlib.import_module(IMPORTERS[name])
    except Exception as error:
        raise TraceError(f"{where} cannot be loaded: {type(error).__name__}: {error}") from error
    if lost := [part for part in ("recognises", "read") if not callable(getattr(module, part, None))]:
        raise TraceError(f"{where} has no function {' and no function '.join(lost)}")
    return module


def detect(file: TraceFile) -> str | None:
    """The format of a file, by its first bytes alone; None when no importer recognises it."""
    head = file.head
    for name in IMPORTERS.added:
        try:
            if reader(name).recognises(head, file):
                return name
        except Exception as error:  # of another package: it takes no other format's files away
            warnings.warn(f"{file}: not tried as {name}: {error}", PluginWarning, 2)
    return next((name for name in BUILT_IN if reader(name).recognises(head, file)), None)


def read(
    path: Path, form: str | None = None, joins: Joins | None = None, budget: Budget | None = None
) -> Iterator[Trace | Problem]:
    """The traces of one file; what cannot be read is reported in its place.

    Without `joins`, a folder `domains` beside the file completes its traces. `budget` is what the files of
    one command may unpack together. A zip archive that is no Inspect log is read file by file.
    """
    yield from read_file(TraceFile(path) if budget is None else TraceFile(path, budget), form, joins)


def read_file(
    file: TraceFile, form: str | None = None, joins: Joins | None = None
) -> Iterator[Trace | Problem]:
    """As `read`; the file's ledger tells afterwards what was taken and what was dropped."""
    joins = joins if joins is not None else joins_beside(file.path)
    with named(file.path):
        yield from _contents(file, form, joins)


def _contents(file: TraceFile, form: str | None, joins: Joins) -> Iterator[Trace | Problem]:
    if file.is_zip and form != "inspect" and (form or detect(file) is None):
        yield from _archive(file, form, joins)
    else:
        yield from _file(file, form, joins)


def _archive(file: TraceFile, form: str | None, joins: Joins) -> Iterator[Trace | Problem]:
    """The traces of each member that may hold some; the other members are named."""
    for inner in file.inner():
        if isinstance(inner, Problem):
            file.ledger.items.drop("a member of an archive that cannot be read", inner.position)
            yield inner
        elif not inner.path.name.endswith(SUFFIXES) or inner.path.name.endswith((".eval", ".zip")):
            name = inner.path.relative_to(file.path).as_posix()
            file.ledger.items.drop("a member of an archive that is not read", name)
            yield file.problem(name, "not read: by its ending it holds no traces, or is an archive itself")
        else:
            yield from _file(inner, form, joins)


def _file(file: TraceFile, form: str | None, joins: Joins) -> Iterator[Trace | Problem]:
    ledger = file.ledger
    name = form or detect(file)
    if name is None:
        file.ledger.items.drop("a file of no known format", "file")
        yield Problem(str(file), "file", _unknown(file), foreign=True)
        return
    read_here = 0
    held: list[Trace] = []
    ledger.item_named = Items(file.passed).find
    contained: tuple[type[Exception], ...] = (Exception,) if name in IMPORTERS.added else _UNREADABLE
    try:
        for item in reader(name).read(file, joins):
            read_here += 1
            if isinstance(item, Trace):
                if not item.messages:
                    item = file.problem(item.source.position, "a trace without any message")
                    ledger.items.drop("a trace without any message", item.position)
                else:
                    item = sound(item, ledger)
                    ledger.trace(item)
                    held = [] if file.passed.beyond else held
                    held.append(item)
            else:
                ledger.items.drop("a record that cannot be read", item.position)
            yield item
            yield from _noted(file)
        if not read_here and not ledger.problems:
            yield file.problem("file", f"nothing in it is read as {name}")
        if held or file.passed.beyond:
            tell_uncovered(file, held, getattr(reader(name), "ASIDE", ()))
    except contained as e:
        # The importers guard each record; what still fails is the frame around the records.
        ledger.items.drop("a record that cannot be read", f"after {read_here} records")
        yield file.problem(f"after {read_here} records", f"cannot be read on as {name}: {e!r}")
    yield from _noted(file)


def _noted(file: TraceFile) -> Iterator[Problem]:
    """The problems that were noted while the last record was read."""
    noted, file.ledger.problems = file.ledger.problems, []
    for place, message in noted:
        yield file.problem(place, message)


def _unknown(file: TraceFile) -> str:
    with file.open() as stream:
        start = stream.read(2)
    if start in (b"\xff\xfe", b"\xfe\xff"):
        return "in UTF-16; save it as UTF-8"
    return "of no known format; name it with --format"


def files_below(
    paths: Iterable[Path], output: Path | None = None, empty: Callable[[Path], object] = lambda _: None
) -> Iterator[Path]:
    """Every file that may hold traces, in a fixed order; a named file is taken whatever its ending.

    What the same run writes to `output` is left out of a folder. `empty` gets folders without a file.
    """
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        below = _below(path, output)
        first = next(below, None)
        if first is None:
            empty(path)
        else:
            yield from chain((first,), below)


def _below(folder: Path, output: Path | None) -> Iterator[Path]:
    for found in sorted(folder.rglob("*")):
        if not found.is_file() or "domains" in found.parts[len(folder.parts) :]:
            continue
        if belongs_to(found, output):
            continue
        # Most tables and YAML in a folder hold other things: only those that hold traces are taken.
        if found.name.endswith(SUFFIXES) or (
            found.name.endswith(LOOKED_AT) and detect(TraceFile(found)) is not None
        ):
            yield found


def nothing_in(folder: Path) -> Problem:
    """What is said of a folder that `files_below` finds empty."""
    endings = ", ".join(SUFFIXES)
    return Problem(str(folder), "folder", f"no file in it ends as traces do: {endings}", foreign=True)


def each_once(files: Iterable[Path], twice: list[Path]) -> Iterator[Path]:
    """The files, each once; `twice` gets those that the arguments of a command name again."""
    seen: set[Path] = set()
    for path in files:
        known = path.resolve()
        if known in seen:
            twice.append(path)
        else:
            seen.add(known)
            yield path


def named_twice(path: Path) -> Problem:
    """What is said of a file that `each_once` finds again."""
    return Problem(str(path), "file", "named twice; it is read once", foreign=True)
