"""Fill the generated tables of the documentation, and check the links of the built site.

    python tools/docs.py                  writes the tables between `<!-- KIND: NAME -->` and `<!-- end -->`
    python tools/docs.py --check SITE     every local link and source of the built pages exists

Kinds: `context: DOMAIN` and `record: NAME` are tables of a JSON Schema, `packs:` lists the rule packs,
`formats:` the formats of traces, `source: FILE` is a file of the repository.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
_KINDS = "context|record|packs|formats|source"
_MARKED = re.compile(rf"(<!-- ({_KINDS}): ?([\w./-]*) -->\n).*?(<!-- end -->)", re.S)


def filled(page: str) -> str:
    """The text of a page with its tables made anew."""
    return _MARKED.sub(lambda m: f"{m[1]}\n{_table(m[2], m[3])}\n\n{m[4]}", page)


def _table(kind: str, name: str) -> str:
    match kind:
        case "packs":
            return _packs()
        case "source":
            file = ROOT / name
            language = {".py": "python"}.get(file.suffix, file.suffix[1:])
            return f'```{language} title="{file.name}"\n{file.read_text("utf-8")}```'
        case "formats":
            from truespec.traces.importers.registry import IMPORTERS

            return ", ".join(f"`{name}`" for name in IMPORTERS)
        case _:
            from truespec.store.schemas import schema_of

            schema = schema_of(name)
            rows = list(_fields(schema, "", schema))
            return "\n".join(["| field | type | default | meaning |", "| --- | --- | --- | --- |", *rows])


def _packs() -> str:
    from click.testing import CliRunner

    from truespec.cli.main import truespec

    lines = CliRunner().invoke(truespec, ["rules", "list"]).output.splitlines()
    rows = []
    for line in lines:
        kind, name, count, _, text = line.split(maxsplit=4)
        text, _, parameters = text.partition("  [")
        named = ", ".join(f"`{one}`" for one in parameters.rstrip("]").split(", ") if one)
        rows.append(f"| `{name}` | {kind} | {count} | {text} | {named} |")
    head = ["| name | kind | rules | what it asks for | parameters |", "| --- | --- | --- | --- | --- |"]
    return "\n".join([*head, *rows])


def _fields(schema: Mapping[str, Any], above: str, root: Mapping[str, Any]) -> Iterator[str]:
    """A row for each field of an object, fields of objects within it after it."""
    required = set(schema.get("required", ()))
    for name, field in schema.get("properties", {}).items():
        field = _resolved(field, root)
        path = f"{above}{name}"
        default = f"`{_plain(field['default'])}`" if "default" in field else ""
        default = "required" if name in required else default
        yield f"| `{path}` | {_kind(field, root)} | {default} | {_cell(field.get('description', ''))} |"
        yield from _fields(field, f"{path}.", root)
        if isinstance(inner := field.get("additionalProperties"), Mapping):
            yield from _fields(_resolved(inner, root), f"{path}.NAME.", root)
        if isinstance(inner := field.get("items"), Mapping):
            yield from _fields(_resolved(inner, root), f"{path}[].", root)


def _resolved(field: Any, root: Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(field, Mapping):
        return {}
    target = field.get("$ref", "")
    if not target.startswith("#/"):
        return field
    found: Any = root
    for step in target[2:].split("/"):
        found = found[step]
    return {**found, **{key: value for key, value in field.items() if key != "$ref"}}


def _kind(field: Mapping[str, Any], root: Mapping[str, Any]) -> str:
    if "enum" in field:
        return ", ".join(f"`{_plain(one)}`" for one in field["enum"])
    if "const" in field:
        return f"`{_plain(field['const'])}`"
    for word in ("anyOf", "oneOf"):
        if word in field:
            return " or ".join(dict.fromkeys(_kind(_resolved(one, root), root) for one in field[word]))
    kind = field.get("type", "any")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array" and isinstance(field.get("items"), Mapping):
        return f"array of {_kind(_resolved(field['items'], root), root)}"
    if kind == "object" and isinstance(field.get("additionalProperties"), Mapping):
        return f"object of {_kind(_resolved(field['additionalProperties'], root), root)}"
    return str(kind)


def _plain(value: Any) -> str:
    import json

    return value if isinstance(value, str) and value else json.dumps(value)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


class _Page(HTMLParser):
    """The identifiers and the local addresses of one page."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.targets: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for key, value in attrs:
            if key in {"id", "name"} and value:
                self.names.add(value)
            if key in {"href", "src"} and value is not None:
                self.targets.append(value)


def broken(site: Path) -> list[str]:
    """The links of a built site that lead nowhere, and whatever a page would load from another host."""
    pages = {}
    for path in sorted(site.rglob("*.html")):
        pages[path] = _Page()
        pages[path].feed(path.read_text("utf-8"))
    wrong = []
    for path, page in pages.items():
        for target in page.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc or path.name == "404.html":
                continue
            place = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            place = place / "index.html" if place.is_dir() else place
            if not place.exists():
                wrong.append(f"{path.relative_to(site)}: {target}: there is no such file")
            elif parts.fragment and place in pages and unquote(parts.fragment) not in pages[place].names:
                wrong.append(f"{path.relative_to(site)}: {target}: there is no such place on the page")
        text = path.read_text("utf-8")
        remote = re.findall(
            r"<(?:script|img|iframe|link rel=\"stylesheet\")[^>]*?(?:src|href)=\"(https?:[^\"]+)", text
        )
        wrong += [f"{path.relative_to(site)}: loads {address}" for address in remote]
    return wrong


def main(arguments: list[str]) -> int:
    """Write the tables, or check a site; the exit code."""
    if arguments[:1] == ["--check"]:
        wrong = broken(Path(arguments[1]).resolve())
        print("\n".join(wrong) or f"all links of {arguments[1]} lead somewhere")
        return int(bool(wrong))
    for path in sorted(DOCS.rglob("*.md")):
        old = path.read_text("utf-8")
        if (new := filled(old)) != old:
            path.write_text(new, encoding="utf-8")
            print(f"{path.relative_to(ROOT)}: tables made anew")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
