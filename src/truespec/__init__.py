"""truespec: does this specification say what was meant, and did this agent do what it was told?

>>> import truespec
>>> verdict = truespec.verify("regex", oracle="(ab)*", candidate="(ab)*(ab)?")
>>> verdict.answer.value
'equivalent'
"""

from os import PathLike
from typing import Any

from truespec.api import Verifier, averify, reward, verify, verify_many
from truespec.verdict import (
    Answer,
    ContextError,
    OracleError,
    ReasonCode,
    Relation,
    TruespecError,
    UsageError,
    Verdict,
)
from truespec.version import __version__


def read_verdicts(path: str | PathLike[str]) -> list[dict[str, Any]]:
    """The flat rows of a verdict file, JSON Lines or Parquet, for `pandas.DataFrame(rows)` and the like.

    Every row has the same columns; what is nested in a record, such as a counterexample, is JSON text. With
    Polars, say `infer_schema_length=None`: a column may begin with nulls. A notebook shows it as a table
    of its first rows, below the number of rows with each answer. Raises `UsageError` for a file that
    cannot be read, and names its line.
    """
    from truespec.store.rows import read_verdicts as read

    return read(path)


__all__ = [
    "Answer",
    "ContextError",
    "OracleError",
    "ReasonCode",
    "Relation",
    "TruespecError",
    "UsageError",
    "Verdict",
    "Verifier",
    "__version__",
    "averify",
    "read_verdicts",
    "reward",
    "verify",
    "verify_many",
]
