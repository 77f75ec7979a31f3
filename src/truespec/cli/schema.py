"""`truespec schema`: the JSON Schema of a context or a record."""

from __future__ import annotations

import json

import click


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from truespec.store.schemas import names

    return [name for name in names() if name.startswith(incomplete)]


@click.command()
@click.argument("name", metavar="NAME", shell_complete=_complete)
def schema(name: str) -> None:
    """Print the JSON Schema of a domain's context or of a record.

    NAME is a domain (`arith sql fol regex rocq temporal`) or one of `pair task verdict answer judgement rule
    trace artifact`.

    Exit code: 0, 2 for an unknown name.
    """
    from truespec.store.schemas import schema_of

    click.echo(json.dumps(schema_of(name), indent=2, ensure_ascii=False))
