"""Registries that other packages extend by entry points. Imports nothing of ours.

A package declares what it adds in its `pyproject.toml`:

    [project.entry-points."truespec.domains"]
    cron = "my_package.cron.domain:Cron"

Installed packages are looked at when a name is asked for that is not built in, or when all names are listed.
Nothing of theirs is imported before it is used.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator, Mapping
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_METADATA = re.compile(r"\.(?:dist|egg)-info$|^egg-info$", re.IGNORECASE)
"""The names of folders in which installers keep what they know of a package."""


class PluginWarning(UserWarning):
    """An entry point of another package is left out, or what it names fails."""


class Registry(Mapping[str, str]):
    """Names to dotted strings: those built in, and those that entry points of a group add.

    An entry point is left out with a `PluginWarning` where its name is built in, is taken by another
    package too, or is not of lower-case letters, digits, `-` and `_`.
    """

    def __init__(self, group: str, built_in: Mapping[str, str]) -> None:
        self.group = group
        """The group of the entry points, e.g. `truespec.domains`."""
        self.built_in = built_in
        """What comes with truespec; found without a look at installed packages."""
        self._added: dict[str, str] | None = None
        self._from: dict[str, str] = {}

    def __getitem__(self, name: str) -> str:
        return self.built_in[name] if name in self.built_in else self._others()[name]

    def __contains__(self, name: object) -> bool:
        return name in self.built_in or name in self._others()

    def __iter__(self) -> Iterator[str]:
        yield from self.built_in
        yield from self._others()

    def __len__(self) -> int:
        return len(self.built_in) + len(self._others())

    @property
    def added(self) -> Mapping[str, str]:
        """What other packages add."""
        return self._others()

    def origin(self, name: str) -> str:
        """The distribution that a name comes from, with its version; `truespec` for what is built in."""
        return "truespec" if name in self.built_in else self._from[name]

    def _others(self) -> dict[str, str]:
        if self._added is None:
            by_name: dict[str, dict[str, str]] = {}
            if _may_be_declared(self.group):
                from importlib.metadata import entry_points

                for point in entry_points(group=self.group):
                    by_name.setdefault(point.name, {})[_distribution(point)] = point.value
            self._added = {}
            for name, found in sorted(by_name.items()):
                if why := self._refusal(name, found):
                    shown = ", ".join(found)
                    warnings.warn(f"{self.group}: {name!r} of {shown} is left out: {why}", PluginWarning, 3)
                    continue
                ((self._from[name], self._added[name]),) = found.items()
        return self._added

    def _refusal(self, name: str, found: Mapping[str, str]) -> str:
        if name in self.built_in:
            return "this name is built in"
        if len(found) > 1:
            return "several packages add this name; uninstall all but one"
        if not _NAME.fullmatch(name):
            return "a name has lower-case letters, digits, - and _"
        return ""


def _may_be_declared(group: str) -> bool:
    """Whether some installed package may have entry points of the group; only `importlib.metadata` is sure.

    It takes a third of the start of a short command, and most installations have no such package.
    """
    if any(hasattr(finder, "find_distributions") and finder is not PathFinder for finder in sys.meta_path):
        return True  # packages that lie in no folder
    for root in sys.path:
        try:
            with os.scandir(root or ".") as entries:
                folders = [entry.path for entry in entries if _METADATA.search(entry.name)]
        except FileNotFoundError:
            continue
        except OSError:  # a zip file
            return True
        if any(_holds(os.path.join(folder, "entry_points.txt"), group.encode()) for folder in folders):
            return True
    return False


def _holds(file: str, text: bytes) -> bool:
    try:
        with open(file, "rb") as stream:
            return text in stream.read()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True


def _distribution(point: EntryPoint) -> str:
    """`NAME VERSION` of the package that declares an entry point."""
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else "an unknown package"
