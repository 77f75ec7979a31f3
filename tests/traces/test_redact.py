from __future__ import annotations

from pathlib import Path

import pytest

from truespec.traces import Message, Source, ToolCall, Trace
from truespec.traces.record import to_line
from truespec.traces.redact import Hiding, Redactor
from truespec.verdict import UsageError


def test_equal_values_get_equal_marks_everywhere() -> None:
    trace = Trace(
        "t",
        (
            Message("user", "I am ada@example.org, call +1 555-123-4567 or pay 4111 1111 1111 1111."),
            Message(
                "assistant", None, (ToolCall("find", {"email": "Ada@example.org", "order": "#W1234567"}),)
            ),
        ),
        Source("openai", "f", "0", "document"),
        metadata={"who": ["ada@example.org"]},
    )
    hidden = Redactor().trace(trace)
    assert hidden.messages[0].text == "I am <email-1>, call <phone-1> or pay <card-1>."
    assert hidden.messages[1].calls[0].arguments == {"email": "<email-1>", "order": "#W1234567"}
    assert "example.org" not in to_line(hidden)


SECRETS = (
    "sk-" + "a1B2" * 8,
    "ghp_" + "a1B2" * 9,
    "AKIA" + "ABCD" * 4,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLW9mLTM",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----",
)


@pytest.mark.parametrize("secret", SECRETS)
def test_keys_and_tokens_are_hidden(secret: str) -> None:
    assert Redactor(("secret",)).text(f"use {secret} now") == "use <secret-1> now"


@pytest.mark.parametrize("text", ["Authorization: Bearer abcdefghijklmnop1234", "GET /x?token=s3cr3t&y=1"])
def test_values_after_their_name_are_hidden(text: str) -> None:
    hidden = Redactor(("secret",)).text(text)
    assert "<secret-1>" in hidden
    assert "abcdefgh" not in hidden
    assert "s3cr3t" not in hidden


@pytest.mark.parametrize(
    "text", ["task-skills-and-more", "sk-short", "the token is lost", "passwords=none of us"]
)
def test_ordinary_words_are_no_secrets(text: str) -> None:
    assert Redactor(("secret",)).text(text) == text


def test_an_iban_passes_its_check() -> None:
    redactor = Redactor(("iban",))
    said = redactor.text("DE89 3704 0044 0532 0130 00, GB82WEST12345698765432, DE89370400440532013000")
    assert said == "<iban-1>, <iban-2>, <iban-1>"
    assert redactor.text("DE00 3704 0044 0532 0130 00") == "DE00 3704 0044 0532 0130 00"


def test_patterns_and_fields_of_the_user() -> None:
    hiding = Hiding(patterns=(("order", r"#W\d+"),), fields=("user.pin", "**.ssn"))
    trace = Trace(
        "t",
        (
            Message("user", "my number is 078-05-1120, order #W12, room 120"),
            Message(
                "assistant",
                "I found 078-05-1120.",
                (ToolCall("find", {"user": {"pin": 12, "name": "Ada"}, "order": "#W12"}, "c"),),
            ),
            Message("tool", '{"rows": [{"ssn": "078-05-1120"}], "pin": 12}', call_id="c"),
        ),
        Source("openai", "f", "0", "document"),
    )
    hidden = hiding.redactor().trace(trace)
    assert hidden.messages[0].text == "my number is <field-2>, order <order-1>, room 120"
    assert hidden.messages[1].text == "I found <field-2>."
    assert hidden.messages[1].calls[0].arguments == {
        "user": {"pin": "<field-1>", "name": "Ada"},
        "order": "<order-1>",
    }
    assert hidden.messages[2].text == '{"rows": [{"ssn": "<field-2>"}], "pin": <field-1>}'


def test_a_short_value_does_not_damage_the_marks_of_others() -> None:
    call = ToolCall("set", {"user": {"pin": "1", "name": "field"}})
    trace = Trace("t", (Message("assistant", "1, field", (call,)),), Source("openai", "f", "0", "document"))
    hidden = Hiding(fields=("user.*",)).redactor().trace(trace)
    assert hidden.messages[0].text == "<field-1>, <field-2>"


@pytest.mark.parametrize(("name", "pattern"), [("email", "x"), ("a b", "x"), ("a", "("), ("a", "x*")])
def test_bad_patterns_are_refused(name: str, pattern: str) -> None:
    with pytest.raises(UsageError, match="pattern"):
        Hiding(patterns=((name, pattern),)).redactor()


def test_a_long_number_without_check_digit_is_no_card() -> None:
    assert Redactor(("card",)).text("order 1234567890123456") == "order 1234567890123456"


def test_unknown_kinds_are_refused() -> None:
    with pytest.raises(UsageError, match="shoe"):
        Redactor(("shoe",))


def test_patterns_are_fast_on_hostile_text() -> None:
    assert Redactor().text("a" * 100_000)
    assert Redactor().text("1 " * 50_000)
    assert Redactor().text("a@" * 50_000)
    assert Redactor().text("eyJ" * 30_000)
    assert Redactor().text("DE89 3704 " * 10_000)
    assert Redactor().text("-----BEGIN PRIVATE KEY-----" * 300)
    assert Path(__file__).exists()


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("card 4111 1111 1111 1111 12/27 cvv 123", "card <card-1> 12/27 cvv 123"),
        ("order 12 4111 1111 1111 1111", "order 12 <card-1>"),
        ("4111\u00a01111\u00a01111\u00a01111 and 4111111111111111", "<card-1> and <card-1>"),
        ("pay DE89 3704 0044 0532 0130 00 OK THANKS", "pay <iban-1> OK THANKS"),
        ("de89-3704-0044-0532-0130-00", "<iban-1>"),
        ('{"password": "hunter2", "user": "x"}', '{"password": "<secret-1>", "user": "x"}'),
        ('"{\\"api_key\\": \\"abcdef\\"}"', '"{\\"api_key\\": \\"<secret-1>\\"}"'),
        ("https://bob:pw1@h.example/x", "https://<secret-1>@h.example/x"),
        ("password: hunter2", "password: <secret-1>"),
        ("the password: please", "the password: please"),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfi", "aws_secret_access_key = <secret-1>"),
        ("X-Api-Key: abcdef123456, token: abcd1234efgh", "X-Api-Key: <secret-1>, token: <secret-2>"),
        ("token: the unit that a model reads", "token: the unit that a model reads"),
        (
            "\uff13\uff17\uff18\uff12 \uff18\uff12\uff12\uff14\uff16\uff13 \uff11\uff10\uff10\uff10\uff15",
            "<card-1>",
        ),
        ("Authorization: Basic dXNlcjpwYXNzd29yZA==", "Authorization: Basic <secret-1>"),
    ],
)
def test_what_stands_beside_a_value_does_not_save_it(text: str, hidden: str) -> None:
    assert Redactor().text(text) == hidden


def test_fields_with_the_name_of_a_secret_are_hidden() -> None:
    given = {
        "password": "x1",
        "nested": [{"clientSecret": "zz", "token": "t"}],
        "token_count": 5,
        "user": "a",
    }
    assert Redactor(("secret",)).value(given) == {
        "password": "<secret-1>",
        "nested": [{"clientSecret": "<secret-2>", "token": "<secret-3>"}],
        "token_count": 5,
        "user": "a",
    }
    call = ToolCall("login", {"password": "x1"})
    trace = Trace("t", (Message("assistant", None, (call,)),), Source("openai", "f", "0", "document"))
    assert Redactor(("secret",)).trace(trace).messages[0].calls[0].arguments == {"password": "<secret-1>"}
    assert Redactor(("card",)).value(given) == given


def test_the_beginning_of_a_value_that_was_cut_is_hidden() -> None:
    redactor = Redactor()
    trace = Trace("t", (Message("user", "4111 1111 1111 1111"),), Source("openai", "f", "0", "document"))
    redactor.learn(trace)
    assert redactor.text("Error: 4111 1111 11…, 41…") == "Error: <card-1>…, 41…"
