"""The report: complete, self-contained, and deaf to hostile texts."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from reports import samples
from truespec.reports.entry import gather
from truespec.reports.page import MOST_PIPS, Page, highlights, render
from truespec.reports.summary import by_domain
from truespec.verdict import Answer

PAGE = Page("A title", "A lead.", {"took": "1 s"}, ("line 3: no JSON",))
HIDDEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
VOID = {"meta", "input"}


class Reader(HTMLParser):
    """Collects tags, attributes and text, and checks that every element is closed in its turn."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.values: list[str] = []
        self.text: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.values += [value or "" for _, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1] == tag, f"</{tag}> closes <{self.open[-1]}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in ("style", "script"):
            self.text.append(data)


def read(html: bytes) -> Reader:
    reader = Reader()
    reader.feed(html.decode("utf-8"))
    reader.close()
    assert not reader.open
    return reader


def test_a_report_holds_what_was_judged() -> None:
    text = " ".join("".join(read(render(samples.entries(), PAGE)).text).split())
    for part in (
        "A title",
        "One or more digits.",
        r"\d+",
        "weaker than the oracle",
        "U+0660 ARABIC-INDIC DIGIT ZERO",
        "25/2",
        "undefined (division by zero)",
        "hour, in hours",
        "Likes",
        "anna, ben",
        "Gives (e1, e2, e1)",
        "trusts z3 4.15, the translation to SMT",
        "confirmed by cvc5 1.3",
        "unsupported back-reference at column 4",
        "syntax candidate: unclosed (at column 1)",
        "expected refuted, got unknown",
        "a search within rows 2 found no difference",
        "CREATE TABLE t (",
        "line 3: no JSON",
    ):
        assert part in text, part


def test_a_report_needs_nothing_from_outside() -> None:
    html = render(samples.entries(), PAGE).decode()
    assert not re.search(r"https?:|//[a-z]|url\(|@import|<link|<img|<iframe|\bsrc=|\bhref=", html)
    assert "default-src 'none'" in html


def test_a_report_reads_without_scripts() -> None:
    html = render(samples.entries(), PAGE).decode()
    reader = read(re.sub(r"<script>.*?</script>", "", html, flags=re.S).encode())
    assert r"\d+" in "".join(reader.text)
    assert '<form class="filter" hidden>' in html, "controls appear only where they work"


def test_an_empty_report_is_a_report() -> None:
    assert "A title" in "".join(read(render([], PAGE)).text)


def test_hostile_texts_stay_texts() -> None:
    tame, wild = read(render(samples.entries(), PAGE)), read(render(samples.hostile(), PAGE))
    assert set(wild.tags) <= set(tame.tags)
    assert wild.tags.count("script") == 1
    assert wild.attributes <= tame.attributes
    text = "".join(wild.text)
    assert samples.SCRIPT in text
    assert "{{ 7 * 7 }}{% raw %}" in text
    assert "&lt;b&gt; &amp;amp;" in text, "shown as it was written"


def test_hidden_characters_are_named_and_none_is_left() -> None:
    text = "".join(read(render(samples.hostile(), PAGE)).text)
    assert not re.search(
        "[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", text
    )
    for name in ("U+202E", "U+0000", "U+001B", "U+D800"):
        assert name in text


def test_long_texts_do_not_drown_the_page() -> None:
    assert len(render(samples.hostile(), PAGE)) < 4_000_000


def test_a_page_names_what_it_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truespec.reports.page.MOST_TASKS", 3)
    monkeypatch.setattr("truespec.reports.page.MOST_NAMED", 5)
    text = "".join(read(render(samples.hostile(), PAGE)).text)
    rest = len(samples.hostile()) - 3
    assert f"The first 3 tasks are shown in full; the other {rest} are named below." in text
    assert f"and {len(samples.hostile()) - 5} more" in text


def test_the_tasks_that_are_not_shown_in_full_are_all_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truespec.reports.page.MOST_TASKS", 1)
    html = render(samples.entries(), PAGE).decode()
    for entry in samples.entries():
        assert f"<code>{entry.id}</code>" in html or f'<code class="id">{entry.id}</code>' in html


def test_a_task_with_many_candidates_shows_counts_instead_of_signs() -> None:
    (entry, *_) = samples.entries()
    many = replace(entry, judged=tuple(entry.judged) * (MOST_PIPS // len(entry.judged) + 1))
    summary = re.search(r'<span class="pips">(.*?)</span>', render([many], PAGE).decode(), re.S)
    assert summary is not None
    assert summary[1].count("<i") <= len(Answer)


def test_a_card_holds_the_reference_and_results_as_rows() -> None:
    html = render(samples.entries(), PAGE).decode()
    cards = re.findall(r'<article class="card">(.*?)</article>', html, re.S)
    assert cards
    assert all('<pre class="code oracle">' in card for card in cards)
    assert "[[1]]" not in html
    assert all("INSERT INTO" not in re.sub("<details>.*?</details>", "", card, flags=re.S) for card in cards)


@pytest.mark.parametrize("most", [0, 1, 3, 10])
def test_highlights_are_refutations_of_different_tasks(most: int) -> None:
    found = highlights(by_domain(samples.entries()), most)
    assert len(found) == min(most, 4)
    assert len({entry.id for entry, _ in found}) == len(found)
    assert all(one.verdict.answer.value == "refuted" for _, one in found)


def test_records_of_a_batch_make_a_report() -> None:
    pairs = [
        {"id": "p1", "domain": "regex", "oracle": "a", "candidate": "b", "context": {}, "model": "m"},
        {
            "id": "p2",
            "domain": "regex",
            "oracle": "a",
            "candidate": "a|a",
            "context": {},
            "expected": "refuted",
        },
        {"id": "p3", "domain": "regex", "oracle": "a", "candidate": "c", "context": {}},
    ]
    one = {"id": "p1", **samples.entries()[0].judged[0].verdict.to_json()}
    two = {"id": "p2", **samples.proved("regex").to_json(), "later_field": 1}
    entries, problems = gather(
        pairs, [one, two, {"line": 3, "error": "no JSON"}, {"id": "p9", "answer": "?"}]
    )
    assert [judged.id for entry in entries for judged in entry.judged] == ["p1", "p2"]
    assert len(entries) == 1
    assert entries[0].judged[0].written == "m"
    assert entries[0].judged[1].agrees is False
    assert problems[0] == "line 3: no JSON"
    assert "p3: no verdict" in problems
    assert len(problems) == 3
