"""Whether arguments are what the tools ask for."""

from __future__ import annotations

from truespec.compliance.evaluators.contract import Evaluator
from truespec.rules.rule import Rule

MEANT = Rule(
    "argument-meaning",
    "Every argument is of the type, format and range that the tool's schema and description ask for.",
    "argument",
    "high",
    kind="semantic",
    violation="invalid_argument",
)
"""What is asked where no rule of the category is given."""

EVALUATOR = Evaluator(
    name="argument_spec",
    category="argument",
    tier="important",
    needs=("messages", "tools"),
    kinds=("invalid_argument", "missing_argument"),
    role="You check the arguments of tool calls against what their tools say about them.",
    task=(
        "`<tools>` holds the tools' schemas and descriptions, `<rules>` what has to hold of arguments, "
        "`<trace>` the conversation. Check each of the assistant's calls: names, types, bounds, formats, "
        "required arguments, and what the descriptions say in words. Whether a value is true is not your "
        "question here; whether the tool allows it is."
    ),
    standing=(MEANT,),
)
