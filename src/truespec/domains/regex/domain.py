"""The regex domain."""

from __future__ import annotations

import platform
import unicodedata
from collections.abc import Iterator, Mapping
from typing import ClassVar

from truespec.domains.contract import Domain, Implication, RawContext, Recheck
from truespec.domains.regex import characters, recheck, variants, verify
from truespec.domains.regex.parse import Context, parse, read_context
from truespec.domains.regex.syntax import Pattern
from truespec.solvers.limit import Limit
from truespec.verdict import Verdict


class Regex(Domain[Context, Pattern]):
    """Languages of patterns, in the `python` and `deepregex` dialects."""

    name: ClassVar[str] = "regex"
    has_relation: ClassVar[bool] = True

    def warm_up(self) -> None:
        """Ask Python once what its character classes and its case folding are."""
        for letter in "dsw":
            characters.category(letter, False)
            characters.category(letter, True)
        characters.folded("a", characters.single("a"), False)

    def environment(self, raw: RawContext) -> Mapping[str, str]:
        """The Unicode tables and the `re` that patterns are read and replayed with."""
        return {
            "unicode": unicodedata.unidata_version,
            "python": ".".join(platform.python_version_tuple()[:2]),
        }

    def read_context(self, raw: RawContext, oracle: str) -> Context:
        """The dialect, alphabet, kind of match, flags, and reading of word boundaries."""
        return read_context(raw)

    def parse(self, text: str, context: Context) -> Pattern:
        """Read a pattern of the dialect."""
        return parse(text, context)

    def decide(self, oracle: Pattern, candidate: Pattern, context: Context, limit: Limit) -> Verdict:
        """Bisimulation of symbolic derivatives."""
        return verify.decide(oracle, candidate, context, limit)

    def recheck(
        self, oracle: str, candidate: str, raw: RawContext, verdict: Verdict, limit: Limit
    ) -> Recheck:
        """Replay the string, or follow the certificate."""
        return recheck.recheck(oracle, candidate, raw, verdict, limit)

    def implies(self, premise: str, conclusion: str, raw: RawContext, limit: Limit) -> Implication:
        """Follow both texts beside the automaton of the premise."""
        context = self.read_context(raw, premise)
        pattern = self.parse(premise, context)
        return recheck.implies(premise, conclusion, raw, self.decide(pattern, pattern, context, limit), limit)

    def fixed_context(self, oracle: str, raw: RawContext) -> RawContext:
        """The context itself: it never depends on the oracle."""
        return raw

    def mutants(self, text: str, raw: RawContext) -> Iterator[str]:
        """One token changed, dropped or doubled."""
        return variants.mutants(text, read_context(raw))

    def rewritings(self, text: str, raw: RawContext) -> Iterator[str]:
        """Quantifiers spelt out, groups added, double complements."""
        return variants.rewritings(text, read_context(raw))
