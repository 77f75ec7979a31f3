"""One engine of symbolic derivatives, over any effective Boolean algebra.

`algebra` says what an alphabet must offer, `expression` is the syntax tree, `terms` keeps simplified terms,
`derivatives` steps them along a letter, `bisimulation` decides inclusion and
equivalence, and `engine` keeps terms from one question to the next.
"""

from truespec.automata.algebra import Algebra, Alphabet
from truespec.automata.bisimulation import Deterministic, Outcome, compare, determinise, included
from truespec.automata.engine import Engine
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
from truespec.automata.terms import Term

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
    "Complement",
    "Deterministic",
    "Either",
    "Engine",
    "Expression",
    "Outcome",
    "Repeat",
    "Sequence",
    "Symbol",
    "Term",
    "compare",
    "determinise",
    "included",
    "predicates",
]
