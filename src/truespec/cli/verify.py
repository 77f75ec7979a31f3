"""`truespec verify`: one verdict."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from truespec.api import DEFAULT_TIMEOUT
from truespec.cli.common import EXIT_CODES, TextCommand, describe, echo, read_context, read_text
from truespec.domains.registry import DOMAINS
from truespec.solvers.scratch import cache_folder
from truespec.store.lines import to_line


class _Verify(TextCommand):
    """There is no short option, since `-k+h` would be read as several. `-h` is a text too, except where the
    domain is expected.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, ["--help", *args[1:]] if args[:1] == ["-h"] else args)


if TYPE_CHECKING:
    _Choice = click.Choice[str]
else:
    _Choice = click.Choice  # generic from click 8.2 on only


class _DomainName(_Choice):
    """A domain. Installed packages are looked at only for a name that is not built in."""

    def __init__(self) -> None:
        super().__init__(list(DOMAINS.built_in))

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return value if value in DOMAINS else click.Choice(list(DOMAINS)).convert(value, param, ctx)


@click.command(
    cls=_Verify, context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]}
)
@click.argument("domain", type=_DomainName(), metavar="DOMAIN")
@click.argument("oracle")
@click.argument("candidate")
@click.option("--context", metavar="FILE", help="JSON file with the domain's declarations and options.")
@click.option("--timeout", type=float, default=DEFAULT_TIMEOUT, show_default=True, help="Seconds.")
@click.option("--json", "as_json", is_flag=True, help="Print the verdict record.")
def verify(
    domain: str, oracle: str, candidate: str, context: str | None, timeout: float, as_json: bool
) -> None:
    """Decide whether CANDIDATE means the same as ORACLE.

    A text given as @FILE is read from that file.

    Exit code: 0 equivalent, 1 refuted, 3 unknown, 4 invalid, 2 wrong call or unusable oracle.
    """
    import truespec

    if domain == "rocq" and (why := cache_folder()[1]):
        click.echo(f"truespec: {why}", err=True)
    verdict = truespec.verify(domain, read_text(oracle), read_text(candidate), read_context(context), timeout)
    echo(to_line(verdict.to_json()).rstrip("\n") if as_json else describe(verdict))
    sys.exit(EXIT_CODES[verdict.answer])
