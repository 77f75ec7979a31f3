"""Linear temporal logic with past, on finite traces and on infinite words; see README.md."""

from truespec.temporal.comparison import Outcome, compare, model, pool_of
from truespec.temporal.syntax import Formula, atoms, write
from truespec.temporal.truth import holds
from truespec.temporal.words import Word

__all__ = ["Formula", "Outcome", "Word", "atoms", "compare", "holds", "model", "pool_of", "write"]
