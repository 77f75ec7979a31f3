"""The rules that files, packs and rule sets name, as one list with a hash of their texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from truespec.compliance.run import rules_key
from truespec.rules.language import file_text, load_rules
from truespec.rules.packs import pack, pack_names, pack_text
from truespec.rules.sets import TAU2, rule_set, set_names, set_text
from truespec.rules.yaml_text import load_yaml
from truespec.verdict import UsageError


def load_rule_files(
    files: tuple[Path, ...], packs: tuple[str, ...], settings: tuple[str, ...]
) -> tuple[list[Any], str]:
    """The rules of files and packs, and a hash of their texts. Settings are `pack.parameter=YAML`."""
    groups = {"all": pack_names(), TAU2: set_names()}
    names = [name for entry in packs for name in groups.get(entry, [entry])]
    chosen: dict[str, dict[str, Any]] = {}
    for setting in settings:
        target, equals, value = setting.partition("=")
        name, dot, parameter = target.partition(".")
        if not equals or not dot or name not in names:
            raise UsageError(f"--set {setting!r}: expected PACK.PARAMETER=VALUE for a pack that is used")
        chosen.setdefault(name, {})[parameter] = load_yaml(value)
    rules: list[Any] = []
    texts = list(settings)
    for name in dict.fromkeys(names):
        if name in set_names():
            if name in chosen:
                asked = min(chosen[name])
                raise UsageError(f"--set {name}.{asked}: the rule set {name!r} has no parameters; packs have")
            rules += rule_set(name)
            texts.append(set_text(name))
        else:
            rules += pack(name, chosen.get(name))
            texts.append(pack_text(name))
    for path in files:
        text = file_text(path)
        rules += load_rules(text, path.name)
        texts.append(text)
    seen: set[str] = set()
    for rule in rules:
        if rule.id in seen:
            raise UsageError(f"two rules are called {rule.id!r}")
        seen.add(rule.id)
    if not rules:
        raise UsageError("no rules: name files with --rules or packs with --pack")
    return rules, rules_key(texts)
