"""The call and the result in the span of a tool, in every convention."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from truespec.traces.importers.conventions import RawSpan, first
from truespec.traces.importers.parts import REFERENCES
from truespec.traces.importers.recorded import parsed
from truespec.traces.importers.threads import canonical

TOOL_NAMES = (
    "gen_ai.tool.name",
    "ai.toolCall.name",
    "tool.name",
    "tool_call.function.name",
    "traceloop.entity.name",
    "tool_name",
    "operation.name",
)


TOOL_IDS = (
    "gen_ai.tool.call.id",
    "ai.toolCall.id",
    "tool_call.id",
    "tool.call_id",
    "tool.call.id",
    "tool_call_id",
    "tool.id",
)


TOOL_ARGUMENTS = (
    "gen_ai.tool.call.arguments",
    "gen_ai.tool.input",
    "ai.toolCall.args",
    "tool_arguments",
    "tool.args_json",
    "gcp.vertex.agent.tool_call_args",
    "langfuse.observation.input",
    "mlflow.spanInputs",
    "traceloop.entity.input",
    "input.value",
    "genkit:input",
    "gen_ai.prompt",
    "input",
    "tool_call.function.arguments",
    "tool.parameters",
    "tool.input",
    "tool.arguments",
)


ERROR = "tool.error_message"
"""The attribute that says why a tool failed: its result, where it gave none."""


TOOL_RESULTS = (
    "gen_ai.tool.call.result",
    "gen_ai.tool.output",
    "ai.toolCall.result",
    "tool_response",
    "tool.result_json",
    "gcp.vertex.agent.tool_response",
    "langfuse.observation.output",
    "mlflow.spanOutputs",
    "traceloop.entity.output",
    "output.value",
    "genkit:output",
    "gen_ai.completion",
    "output",
    "tool.output",
    "tool.result",
    ERROR,
    "gen_ai.tool.error",
    "langfuse.observation.status_message",
)


CLAUDE_CODE = {"full_command": "command", "file_path": "file_path"}
"""The attributes of Claude Code's spans that hold what a tool was given, with the names of its arguments."""


_GIVEN = ("arguments", "args", "input", "parameters")
_GAVE = ("result", "output", "response")
"""Last steps of the names of attributes that hold what a tool was given and gave, in any convention."""
_GOOGLES = frozenset(("id", "name", "response", "willContinue", "will_continue", "scheduling", "parts"))
"""Fields of a response of a function in Google's interface."""
METHOD = ".__call__"
"""What DSPy's spans append to the name of a tool."""
_WRAPPERS = ("input", "inputs", "kwargs", "arguments", "args", "tool_input", "params")


@dataclass(frozen=True, slots=True)
class ToolRun:
    """What a tool's span says."""

    name: str
    arguments: Any
    identifier: str | None
    output: Any


def tool_run(raw: RawSpan) -> ToolRun:
    """The call and the result in the span of a tool."""
    attributes = raw.attributes
    name = str(parsed(first(attributes, *TOOL_NAMES)) or raw.name.removesuffix(METHOD))
    arguments = parsed(_first_or_last(attributes, TOOL_ARGUMENTS, _GIVEN))
    output = parsed(_first_or_last(attributes, TOOL_RESULTS, _GAVE))
    identifier = parsed(first(attributes, *TOOL_IDS))
    for event in raw.events:
        details = event.get("attributes")
        details = details if isinstance(details, Mapping) else {}
        if event.get("name") == "gen_ai.tool.message" and arguments is None:
            arguments = parsed(details.get("content"))
        elif event.get("name") == "gen_ai.choice" and output is None:
            output = parsed(details.get("message"))
        elif event.get("name") == "tool.output" and output is None:
            output = details.get("output")
    if arguments is None:
        arguments = {
            given: attributes[key] for key, given in CLAUDE_CODE.items() if key in attributes
        } or None
    if isinstance(arguments, Mapping):
        if arguments.get("type") in ("tool_call", "tool_use", "function_call") or "toolCallId" in arguments:
            identifier = identifier or first(arguments, *REFERENCES, "id")
            name = str(first(arguments, "name", "toolName") or name)
            arguments = first(arguments, "args", "input", "arguments")
        elif set(arguments) <= {"args", "kwargs", "sanitize_inputs_outputs"} and "kwargs" in arguments:
            arguments = arguments["kwargs"] if not arguments.get("args") else arguments
        elif len(arguments) == 1:
            ((key, inner),) = arguments.items()
            inner = parsed(inner)
            arguments = inner if key in _WRAPPERS and isinstance(inner, Mapping) else arguments
    output = _inner_output(output)
    if isinstance(output, Mapping) and {"name", "response"} <= output.keys() <= _GOOGLES:
        identifier, output = identifier or output.get("id"), output["response"]
    if isinstance(output, Mapping):
        identifier = identifier or first(output, *REFERENCES)
    elif isinstance(output, list) and len(output) == 1 and isinstance(output[0], Mapping):
        identifier = identifier or first(output[0], *REFERENCES)
    return ToolRun(name, parsed(arguments), None if identifier is None else str(identifier), output)


def is_same_run(inner: RawSpan, outer: RawSpan) -> bool:
    """Whether a tool's span records the run of the one around it, as a server does that the tool calls."""
    one, other = tool_run(inner), tool_run(outer)
    return (
        one.identifier is None
        and one.name == other.name
        and one.arguments is not None
        and canonical(one.arguments) == canonical(other.arguments)
        and (one.output is None or canonical(one.output) == canonical(other.output))
    )


def _first_or_last(attributes: Mapping[str, Any], names: tuple[str, ...], last: tuple[str, ...]) -> Any:
    """The first attribute of these names, else the first whose name ends in one of the last steps."""
    if (found := first(attributes, *names)) is not None:
        return found
    ending = (key for step in last for key in attributes if key.rpartition(".")[2] == step)
    return first(attributes, *(key for key in ending if not key.startswith("resource.")))


def raised(raw: RawSpan) -> str | None:
    """The message of the exception that a span's events record."""
    for event in raw.events:
        details = event.get("attributes")
        if event.get("name") == "exception" and isinstance(details, Mapping):
            message = first(details, "exception.message", "exception.type")
            return None if message is None else str(message)
    return None


def _inner_output(output: Any) -> Any:
    """LangChain's tool message inside its wrappers."""
    for _ in range(3):
        if not isinstance(output, Mapping):
            break
        if isinstance(output.get("kwargs"), Mapping) and isinstance(output.get("id"), list):
            output = output["kwargs"]
        elif isinstance(output.get("data"), Mapping) and "tool_call_id" in output["data"]:
            output = output["data"]
        elif set(output) == {"output"} or (
            "output" in output
            and isinstance(output["output"], Mapping)
            and "tool_call_id" in output["output"]
        ):
            output = parsed(output["output"])
        else:
            break
    return output


def as_arguments(value: Any) -> Any:
    """A tool's input that is no object is its argument `input`."""
    return value if value is None or isinstance(value, Mapping) else {"input": value}
