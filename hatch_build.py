"""What the package's metadata says that is stated elsewhere: the project's address, and the page of an index.

The address comes from `TRUESPEC_REPOSITORY`, else from git's remote `origin`, else, in an sdist, from its
PKG-INFO. Without one the package names none. An index shows the README without the files beside it: with an
address its relative links become absolute, without one its pictures go and its links become plain text.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?://|#)([^)]+)\)")


class CustomMetadataHook(MetadataHookInterface):
    """Fills in `urls` and `readme`."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Called by hatchling."""
        root = Path(self.root)
        address = repository(root)
        if address:
            metadata["urls"] = {
                "Repository": address,
                "Documentation": f"{address}#readme",
                "Issues": f"{address}/issues",
                "Changelog": f"{address}/tree/main/changes",
            }
        text = (root / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": standalone(text, address)}


def repository(root: Path) -> str:
    """The project's address on the web, without a final slash; empty where nothing tells it."""
    told = os.environ.get("TRUESPEC_REPOSITORY", "")
    if not told and (root / "PKG-INFO").exists():
        found = re.search(r"^Project-URL: Repository, (\S+)$", (root / "PKG-INFO").read_text("utf-8"), re.M)
        return found[1] if found else ""
    if not told and (root / ".git").exists():
        asked = ["git", "-C", str(root), "remote", "get-url", "origin"]
        try:
            told = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
        except OSError:  # no git
            return ""
    told = (
        re.sub(r"^(?:ssh://)?git@([^:/]+)[:/]", r"https://\1/", told).removesuffix("/").removesuffix(".git")
    )
    return told if re.fullmatch(r"https://[\w.-]+\.\w+(/[\w.~-]+)+", told) else ""


def standalone(text: str, address: str) -> str:
    """The README as it reads away from its repository.

    >>> standalone("![a](b.png) and [c](d.md)", "https://x.org/y")
    '![a](https://x.org/y/raw/main/b.png) and [c](https://x.org/y/blob/main/d.md)'
    >>> standalone("![a](b.png) and [c](d.md)", "")
    ' and c'
    """

    def link(match: re.Match[str]) -> str:
        picture, words, target = match.groups()
        if not address:
            return "" if picture else words
        return f"{picture}[{words}]({address}/{'raw' if picture else 'blob'}/main/{target})"

    return _LINK.sub(link, text)
