"""truespec: does this specification say what was meant, and did this agent do what it was told?

>>> import truespec
>>> verdict = truespec.verify("regex", oracle="(ab)*", candidate="(ab)*(ab)?")
>>> verdict.answer.value
'equivalent'
"""

from truespec.api import verify
from truespec.verdict import Answer, OracleError, ReasonCode, Relation, TruespecError, UsageError, Verdict
from truespec.version import __version__

__all__ = [
    "Answer",
    "OracleError",
    "ReasonCode",
    "Relation",
    "TruespecError",
    "UsageError",
    "Verdict",
    "__version__",
    "verify",
]
