"""One engine of symbolic derivatives, over any effective Boolean algebra.

`algebra` says what an alphabet must offer, `expression` is the syntax tree, `terms` keeps simplified terms,
`derivatives` steps them along a letter, `bisimulation` decides emptiness, inclusion and equivalence.
"""

from truespec.automata.algebra import Algebra, Alphabet
from truespec.automata.bisimulation import Deterministic, Outcome, compare, determinise
from truespec.automata.compile import Compiler
from truespec.automata.expression import (
    ANYTHING,
    EMPTY,
    END,
    NOTHING,
    START,
    Ahead,
    Behind,
    Both,
    Complement,
    Either,
    Expression,
    Repeat,
    Sequence,
    Symbol,
    predicates,
)

__all__ = [
    "ANYTHING",
    "EMPTY",
    "END",
    "NOTHING",
    "START",
    "Ahead",
    "Algebra",
    "Alphabet",
    "Behind",
    "Both",
    "Compiler",
    "Complement",
    "Deterministic",
    "Either",
    "Expression",
    "Outcome",
    "Repeat",
    "Sequence",
    "Symbol",
    "compare",
    "determinise",
    "predicates",
]
