"""The local app in a real browser: typing, keyboard, both widths and schemes, without scripts."""

from __future__ import annotations

import hashlib
import shutil
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

import pytest

from serve.conftest import TOKEN, accessible, opened
from truespec.domains.registry import DOMAINS
from truespec.domains.rocq.library import library

pytestmark = [pytest.mark.live, pytest.mark.slow]

HTMX = "a0abb04f2f45a1f89d1d4844023245537e5e6014c87b144553e0607b4cc32130"
HOSTILE = '<script>document.title="hacked"</script><img src=x onerror="document.title=\'hacked\'">'


def test_the_vendored_script_is_the_published_one() -> None:
    content = files("truespec.serve").joinpath("static/htmx.min.js").read_bytes()
    assert hashlib.sha256(content).hexdigest() == HTMX


def test_the_verdict_follows_the_typing_and_the_address_holds_the_pair(browser: Any, address: str) -> None:
    page = opened(browser, address, "/?domain=regex")
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.fill("textarea[name=oracle]", "(ab)*")
    page.fill("textarea[name=candidate]", "(ab)+")
    page.wait_for_selector("#verdict .sentence:has-text('empty string')")
    page.wait_for_url("**candidate=%28ab%29%2B**")
    other = browser.new_context().new_page()
    other.goto(f"{address}/?token={TOKEN}")
    other.goto(page.url)
    assert other.input_value("textarea[name=candidate]") == "(ab)+"
    assert "refuted" in other.inner_text("#verdict")
    assert complaints == []


def test_every_domain_shows_its_example(browser: Any, address: str) -> None:
    page = opened(browser, address)
    for domain in DOMAINS:
        if domain == "rocq":
            if not shutil.which("coqtop"):
                continue
            library()  # compiled once on a machine, which may take longer than a browser waits
        page.goto(f"{address}/?domain={domain}")
        assert page.locator("#verdict .badge").inner_text() in ("refuted", "equivalent"), domain


def test_the_keyboard_alone_is_enough(browser: Any, address: str) -> None:
    page = opened(browser, address, "/?domain=regex")
    page.focus("textarea[name=candidate]")
    page.keyboard.press("Control+A")
    page.keyboard.type("z")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#verdict .sentence:has-text('“z”')")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.tagName") == "BUTTON":
            return
    raise AssertionError("the button is not reached by Tab")


def test_pages_are_accessible_and_do_not_overflow(browser: Any, address: str) -> None:
    page = opened(browser, address, bypass_csp=True)
    accessible(page, [f"{address}/?domain={domain}" for domain in ("sql", "temporal", "fol")])


def test_it_reads_and_works_without_scripts(browser: Any, address: str) -> None:
    page = opened(browser, address, "/?domain=arith", java_script_enabled=False)
    page.locator("textarea[name=candidate]").fill("(h - k) % 24 + 0")
    page.locator("button[type=submit]").click()
    page.wait_for_load_state()
    assert "equivalent" in page.locator("#verdict .badge").inner_text()


def test_hostile_texts_stay_texts(browser: Any, address: str) -> None:
    page = opened(browser, address)
    for field in ("oracle", "candidate", "context.flags"):
        query = {"domain": "regex", "oracle": "a", "candidate": "b", field: HOSTILE}
        page.goto(f"{address}/?{urlencode(query)}")
        page.wait_for_load_state("networkidle")
        assert page.title() != "hacked"
        assert page.locator("main img, main script").count() == 0
        assert HOSTILE[:20] in page.content().replace("&lt;", "<").replace("&gt;", ">")


def test_without_the_token_nothing_is_shown(browser: Any, address: str) -> None:
    page = browser.new_context().new_page()
    assert page.goto(address + "/").status == 401
