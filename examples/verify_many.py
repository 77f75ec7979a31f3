"""Many pairs side by side, each answer as it comes; one that cannot be decided says why.

Prints:
    clock: refuted
    double: equivalent
    groups: unknown (unsupported)
"""

import truespec

VARIABLES = {"h": {"type": "int"}, "k": {"type": "int"}}
INTS = {"variables": VARIABLES, "constraints": ["0 <= h <= 23", "k >= 0"]}
CLOCK = {"oracle": "(h - k) % 24", "candidate": "abs(h - k) % 24", "context": INTS}
PAIRS = [
    {"id": "clock", "domain": "arith", **CLOCK},
    {"id": "double", "domain": "arith", "oracle": "h * 2", "candidate": "h + h", "context": INTS},
    {"id": "groups", "domain": "regex", "oracle": r"(a)\1", "candidate": "aa"},
]

for name, verdict in sorted(truespec.verify_many(PAIRS, jobs=2, timeout=10.0)):
    why = f" ({verdict.reason.code.value})" if verdict.reason else ""
    print(f"{name}: {verdict.answer.value}{why}")
