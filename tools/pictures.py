"""The pictures of `docs/explanation/verifiers.md`: `python tools/pictures.py` writes them as SVG.

A picture is rows of boxes. An arrow leads from a box to the next one of its row; a line of `ties` names two
boxes by row and place. Colours are those of the answers in the reports, on a ground of their own, so that a
picture reads the same in light and in dark pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "docs" / "explanation" / "pictures"
WIDTH, BOX, ROW, LETTER = 720, 44, 84, 6.6
COLOURS = {"": "#f4f1ea", "=": "#dff3ea", "!": "#fbe6dd", "?": "#f8ecc9", "-": "none"}
"""The ground of a box by the first letter of its text: proved, refuted, unknown, no box."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A title for who cannot see it, rows of boxes (each with one or two lines), labels of arrows, ties."""

    title: str
    rows: Sequence[Sequence[str]]
    labels: Sequence[Sequence[str]] = ()
    ties: Sequence[tuple[int, int, int, int]] = ()


PICTURES = {
    "all": Picture(
        "Texts are parsed, cheaply refuted, proved, or searched for longer; what is left is unknown, with a "
        "reason.",
        (
            (
                "oracle and|candidate", "parse", "cheap|refutation", "proof", "longer|refutation",
                "?unknown,|with a reason",
            ),
            (
                "-", "invalid,|with the place", "!refuted, when|replayed", "=equivalent,|with a proof",
                "!refuted, when|replayed",
            ),
        ),
        ties=((0, 1, 1, 1), (0, 2, 1, 2), (0, 3, 1, 3), (0, 4, 1, 4)),
    ),
    "regex": Picture(
        "The derivatives of (ab)* and of (ab)*(ab)? by a and then by b are paired; no pair differs "
        "in accepting "
        "the empty string, so the patterns are equivalent.",
        (
            ("(ab)*|accepts ε", "b(ab)*|does not", "(ab)*|accepts ε"),
            ("(ab)*(ab)?|accepts ε", "b(ab)*(ab)? ∪ b|does not", "(ab)*(ab)? ∪ ε|accepts ε"),
            ("=same answer", "=same answer", "=same, nothing|new: equivalent"),
        ),
        (("by a", "by b"), ("by a", "by b"), ()),
        ((0, 0, 1, 0), (0, 1, 1, 1), (0, 2, 1, 2)),
    ),
    "arith": Picture(
        "A few legal points refute; normal forms prove; Z3, a case split, many points and cvc5 take "
        "what is left.",
        (
            (
                "few legal|points",
                "normal forms|P/Q",
                "Z3, without|division",
                "case split",
                "many points,|cvc5",
            ),
            (
                "!x = -1|separates", "=same form:|proved", "=no difference|is satisfiable",
                "=each case|is proved", "?unknown",
            ),
        ),
        ties=((0, 0, 1, 0), (0, 1, 1, 1), (0, 2, 1, 2), (0, 3, 1, 3), (0, 4, 1, 4)),
    ),
    "fol": Picture(
        "Models of one, two and three things are tried thousands at once; then a finite Herbrand universe, "
        "then provers.",
        (
            (
                "models of|1 thing", "models of|2 things", "models of|3 things", "finite Herbrand|universe",
                "Z3, E, cvc5",
            ),
            (
                "!a world tells|them apart", "!a world tells|them apart", "!a world tells|them apart",
                "=truth table:|proved", "=no difference:|proved",
            ),
        ),
        ties=((0, 0, 1, 0), (0, 1, 1, 1), (0, 2, 1, 2), (0, 3, 1, 3), (0, 4, 1, 4)),
    ),
    "sql": Picture(
        "Two queries become sums over choices of rows. A correspondence of the choices proves; a "
        "database on the "
        "engine itself refutes.",
        (
            (
                "oracle: orders o|JOIN customer c",
                "for each o, c with|o.customer = c.id",
                "=the foreign key gives|one c to each o",
            ),
            ("candidate:|orders o", "for each o", "=same rows, as|often: equivalent"),
            ("rows that the|schema allows", "both queries run|on the engine", "!results differ:|refuted"),
        ),
        ties=((0, 1, 1, 1), (0, 2, 1, 2)),
    ),
    "temporal": Picture(
        "G F a against F a: all short words are tried at once; the word a, then never a again, "
        "separates them. "
        "Otherwise partial derivatives step both formulas along every word.",
        (
            ("G F a  and  F a", "all short words|at once", "!{a} ({})ʷ:|refuted"),
            (
                "f and not g,|g and not f",
                "partial derivatives,|a cube a step",
                "=no accepting word:|equivalent",
            ),
        ),
        (("", ""), ("", "")),
        ((0, 1, 1, 1),),
    ),
    "rocq": Picture(
        "Evaluators search points while tactics prove and integers go to Z3. What counts is what "
        "the kernel accepts.",
        (
            ("evaluators of|both sides", "a point where|they differ", "!the kernel checks|it: refuted"),
            (
                "tactics, Z3 on|integers",
                "a script of|both directions",
                "=Qed, and no axiom|of its own: equivalent",
            ),
        ),
    ),
    "rules": Picture(
        "The rule look up before you refund along a conversation: after a call of refund without a "
        "look-up the "
        "monitor is in the state broken.",
        (
            ("waiting", "kept for|ever"),
            ("waiting", "!broken at|this message"),
        ),
        (("result of look_up",), ("call of refund",)),
    ),
}  # fmt: skip


def draw(picture: Picture) -> str:
    """The picture as SVG."""
    height = ROW * len(picture.rows) + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'font-family="system-ui, DejaVu Sans, sans-serif" font-size="12.5" fill="#1c1b19">',
        f"<title>{escape(picture.title)}</title>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0 0L8 4L0 8z" fill="#6a665e"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#fffefc" stroke="#e4e0d7"/>',
    ]
    places = [
        [_place(picture, row, at) for at in range(len(texts))] for row, texts in enumerate(picture.rows)
    ]
    for row, texts in enumerate(picture.rows):
        labels = picture.labels[row] if picture.labels else ()
        for at, text in enumerate(texts):
            x, y, width = places[row][at]
            parts += _box(text, x, y, width)
            if at + 1 < len(texts) and _leads(picture, row, at):
                label = labels[at] if at < len(labels) else ""
                parts += _arrow(x + width, places[row][at + 1][0], y + BOX / 2, label)
    for upper, left, lower, right in picture.ties:
        x, y, width = places[upper][left]
        to, below, other = places[lower][right]
        parts.append(
            f'<line x1="{x + width / 2:.0f}" y1="{y + BOX}" x2="{to + other / 2:.0f}" y2="{below - 2}" '
            f'stroke="#6a665e" stroke-dasharray="3 3" marker-end="url(#tip)"/>'
        )
    return "\n".join([*parts, "</svg>\n"])


def _leads(picture: Picture, row: int, at: int) -> bool:
    """Whether an arrow leads on: not between outcomes, which stand below the step that has them."""
    texts = picture.rows[row]
    outcomes = row > 0 and any(tie[2] == row for tie in picture.ties) and texts[at][:1] in COLOURS
    ends = texts[at].startswith("invalid") or (outcomes and texts[at][:1] in "=!?-")
    return not ends and texts[at + 1] != "-"


def _place(picture: Picture, row: int, at: int) -> tuple[float, float, float]:
    """Left, top and width of a box: columns are equal in the whole picture."""
    columns = max(len(texts) for texts in picture.rows)
    gap = 96 if any(any(labels) for labels in picture.labels) else 22
    width = (WIDTH - 28 - gap * (columns - 1)) / columns
    return 14 + at * (width + gap), 24 + row * ROW, width


def _box(text: str, x: float, y: float, width: float) -> list[str]:
    """A box with its lines of text."""
    if text == "-":
        return []
    kind = text[0] if text[0] in COLOURS else ""
    lines = text.removeprefix(kind).split("|")
    longest = max(len(line) for line in lines)
    tight = f' textLength="{width - 8:.0f}" lengthAdjust="spacingAndGlyphs"'
    parts = [
        f'<rect x="{x:.0f}" y="{y}" width="{width:.0f}" height="{BOX}" rx="6" fill="{COLOURS[kind]}" '
        'stroke="#c9c3b6"/>'
    ]
    for number, line in enumerate(lines):
        down = y + BOX / 2 + 4.5 + 15 * (number - (len(lines) - 1) / 2)
        fit = tight if len(line) == longest and longest * LETTER > width - 6 else ""
        parts.append(
            f'<text x="{x + width / 2:.0f}" y="{down:.1f}" text-anchor="middle"{fit}>{escape(line)}</text>'
        )
    return parts


def _arrow(start: float, end: float, y: float, label: str) -> list[str]:
    """An arrow, with a label above it."""
    line = (
        f'<line x1="{start + 2:.0f}" y1="{y:.0f}" x2="{end - 2:.0f}" y2="{y:.0f}" stroke="#6a665e" '
        'marker-end="url(#tip)"/>'
    )
    middle = (start + end) / 2
    above = (
        f'<text x="{middle:.0f}" y="{y - 6:.0f}" text-anchor="middle" font-size="11">{escape(label)}</text>'
    )
    return [line, above] if label else [line]


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, picture in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(draw(picture), encoding="utf-8")
