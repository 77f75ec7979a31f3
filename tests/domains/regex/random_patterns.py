"""Seeded random patterns of both dialects, with every operator."""

from __future__ import annotations

import random

PYTHON_ATOMS = ["a", "b", "a", "b", "c", ".", "[ab]", "[^a]", r"\w", r"\W", r"\s", r"\d", "[a-c-]", ""]
PYTHON_ATOMS += [r"\n", " "]
ANCHORS = ["^", "$", r"\b", r"\B", r"\A", r"\Z"]
COUNTS = ["*", "+", "?", "{2}", "{1,3}", "{,2}", "{2,}", "{0}"]


def python(rng: random.Random, size: int, fixed: bool = False) -> str:
    """A pattern of the python dialect with about `size` operators; `fixed` keeps to one width."""
    if size <= 0:
        if rng.random() < 0.15:
            return rng.choice(ANCHORS)
        atom = rng.choice(PYTHON_ATOMS)
        return atom or ("()" if not fixed else "a")
    left = rng.randrange(size)
    right = size - 1 - left
    kind = rng.random()
    if fixed and 0.35 <= kind < 0.75:
        kind = 0.1
    if kind < 0.35:
        return python(rng, left, fixed) + python(rng, right, fixed)
    if kind < 0.55:
        return f"(?:{python(rng, left)}|{python(rng, right)})"
    if kind < 0.75:
        lazy = rng.choice(["", "", "", "?"])
        return f"(?:{python(rng, size - 1)}){rng.choice(COUNTS)}{lazy}"
    if kind < 0.83:
        return f"(?{rng.choice('=!')}{python(rng, size - 1)})"
    if kind < 0.90:
        return f"(?<{rng.choice('=!')}{python(rng, min(size - 1, 2), fixed=True)})"
    if kind < 0.95:
        flags = rng.choice(["i", "m", "s", "a", "-i", "im-s", "s-m"])
        return f"(?{flags}:{python(rng, size - 1, fixed)})"
    return f"({python(rng, size - 1, fixed)})"


def mutated(rng: random.Random, text: str) -> str:
    """The text with a few characters dropped, doubled, swapped or replaced; often no pattern any more."""
    letters = list(text)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(letters) + 1)
        choice = rng.random()
        if choice < 0.4 and at < len(letters):
            del letters[at]
        elif choice < 0.8:
            letters.insert(at, rng.choice("()[]{}|*+?\\^$-:=!<>#,0123 ab\nPixE&~."))
        elif at < len(letters):
            letters[at] = rng.choice(letters)
    return "".join(letters)


DEEP_ATOMS = ["a", "b", "c", ".", "[ab]", "[^a]", "[A-Za-z]", "[0-9]", "()", r"\b", "dog"]


def deepregex(rng: random.Random, size: int) -> str:
    """A pattern of the deepregex dialect with about `size` operators."""
    if size <= 0:
        return rng.choice(DEEP_ATOMS)
    left = rng.randrange(size)
    right = size - 1 - left
    kind = rng.random()
    if kind < 0.3:
        return f"({deepregex(rng, left)})({deepregex(rng, right)})"
    if kind < 0.45:
        return f"({deepregex(rng, left)})|({deepregex(rng, right)})"
    if kind < 0.6:
        return f"({deepregex(rng, left)})&({deepregex(rng, right)})"
    if kind < 0.75:
        return f"~({deepregex(rng, size - 1)})"
    return f"({deepregex(rng, size - 1)}){rng.choice(['*', '+', '?', '{2,}', '{2}', '{1,3}'])}"
