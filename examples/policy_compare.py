"""Two versions of a rule: which is stronger, and a conversation that tells them apart.

Prints:
    confirm: weaker
      kept now, broken before: assistant's call of refund
"""

from truespec.rules.compare import ANY_TOOLS
from truespec.rules.difference import changes
from truespec.rules.language import load_rules

RULE = """
rules:
- id: confirm
  text: Refund only after the user has agreed.
  formal: {{template: precedence, a: {{message: user, text: {{words: ["yes"]}}}}, b: {{call: refund{more}}}}}
"""

old = load_rules(RULE.format(more=""))
new = load_rules(RULE.format(more=", args: {amount: {gt: 100}}"))
for change in changes(old, new, ANY_TOOLS, 5.0):
    print("\n".join(change.lines()))
