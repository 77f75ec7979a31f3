"""A conversation held against a policy: each violation names its message and quotes it.

Prints:
    look-first at message 1: refund({"order": 7})
"""

from pathlib import Path

from truespec.rules.language import load_file
from truespec.rules.ruleset import RuleSet
from truespec.testing import traces_of

CALL = {"id": "1", "type": "function", "function": {"name": "refund", "arguments": '{"order": 7}'}}
MESSAGES = [
    {"role": "user", "content": "Refund order 7."},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
]

rules = RuleSet(load_file(Path(__file__).with_name("guard_policy.yml")))
(trace,) = traces_of(MESSAGES)
for finding in rules.check(trace):
    for violation in finding.violations:
        print(f"{violation.rule_id} at message {violation.message_index}: {violation.quote}")
