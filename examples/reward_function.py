"""A reward for training: 1.0 only for a reply whose last fenced block is proved equivalent to the oracle.

Prints:
    [1.0, 0.0, 0.0]
"""

import truespec

REPLIES = ["One or more a:\n```\naa*\n```", "```\na*\n```", "a+"]
print([truespec.reward("regex", oracle="a+", completion=reply) for reply in REPLIES])
