"""Verdicts beside other work in asyncio: an agent asks about several rewrites at once.

Prints:
    ∀x P(x) -> equivalent
    ∃x ¬P(x) -> refuted
"""

import asyncio

import truespec

ORACLE = "¬∃x ¬P(x)"


async def main() -> None:
    """Ask about two rewrites at the same time."""
    rewrites = ["∀x P(x)", "∃x ¬P(x)"]
    verdicts = await asyncio.gather(*(truespec.averify("fol", ORACLE, text) for text in rewrites))
    for text, verdict in zip(rewrites, verdicts, strict=True):
        print(f"{text} -> {verdict.answer.value}")


asyncio.run(main())
