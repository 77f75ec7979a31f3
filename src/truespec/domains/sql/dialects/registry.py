"""The dialects by their public names."""

from __future__ import annotations

from truespec.domains.sql.dialects.dialect import Dialect
from truespec.domains.sql.dialects.duckdb import DUCKDB
from truespec.domains.sql.dialects.mariadb import MARIADB
from truespec.domains.sql.dialects.postgres import POSTGRES
from truespec.domains.sql.dialects.sqlite import SQLITE

DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in (MARIADB, POSTGRES, SQLITE, DUCKDB)}
"""Every dialect that is read; the first is the default."""
LIGHT = SQLITE.name
"""A dialect whose engine runs in this process."""
