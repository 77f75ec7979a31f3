"""A model of `python:wordings:FUNCTION` that writes words by a fixed rule, from what it is shown."""

from __future__ import annotations

import html
import json
import re

from truespec.models.call import Call


def careful(call: Call) -> str:
    """Cites what it is shown: the first sentence of the prompt, and the message that breaks the rule."""
    text = html.unescape(call.prompt)
    prompt = re.search(r"<system_prompt>\n(.*?)\n</system_prompt>", text, re.S)
    talk = re.search(r'<conversation id="([^"]*)" breaks_the_rule_at="(\d+)"', text)
    assert talk is not None
    shown = re.search(rf'<message index="{talk[2]}"[^>]*>\n(.*?)\n</message>', text, re.S)
    assert shown is not None
    said = re.sub(r"</?call>\n?", "", shown[1]).strip()
    passage = prompt[1].split(".")[0] + "." if prompt else ""
    return "I looked.\n```json\n" + json.dumps(
        {
            "words": "Before you book, wait until the user has said yes.",
            "passage": passage,
            "place": "after" if prompt else "",
            "cause": "silent",
            "because": [{"trace": talk[1], "message_index": int(talk[2]), "quote": said}],
        }
    )


def at_second(call: Call) -> str:
    """Invents a passage, and takes it back when it is told."""
    if "<rejected_answer>" in call.prompt:
        return careful(call)
    return careful(call).replace('"passage": "', '"passage": "Never ever. ')


def stubborn(call: Call) -> str:
    """Cites words that nobody said, whatever it is told."""
    return re.sub(r'"quote": ".*?[^\\]"', '"quote": "I will not ask."', careful(call))
