"""The functions of each dialect by its public name."""

from __future__ import annotations

from truespec.domains.sql.dialects.registry import DIALECTS
from truespec.domains.sql.functions.duckdb import DUCKDB
from truespec.domains.sql.functions.mariadb import MARIADB
from truespec.domains.sql.functions.postgres import POSTGRES
from truespec.domains.sql.functions.sqlite import SQLITE

FUNCTIONS = dict(zip(DIALECTS, (MARIADB, POSTGRES, SQLITE, DUCKDB), strict=True))
"""One record per dialect, in the order of `dialects.registry`."""
