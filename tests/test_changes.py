"""Every fragment of the changelog has a name that the release tool reads."""

from __future__ import annotations

import re

from needs import ROOT


def test_fragments_are_named_by_topic_and_kind() -> None:
    odd = [
        path.name
        for path in (ROOT / "changes").iterdir()
        if not re.fullmatch(r"\+[a-z0-9-]+\.(added|changed|fixed|removed|security)\.md", path.name)
    ]
    assert not odd, "expected +TOPIC.KIND.md, KIND one of added, changed, fixed, removed, security"
