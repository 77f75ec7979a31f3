"""The functions of each dialect by its public name."""

from __future__ import annotations

from truespec.domains.sql.functions.duckdb import DUCKDB
from truespec.domains.sql.functions.mariadb import MARIADB
from truespec.domains.sql.functions.postgres import POSTGRES
from truespec.domains.sql.functions.sqlite import SQLITE

FUNCTIONS = {"mysql": MARIADB, "postgres": POSTGRES, "sqlite": SQLITE, "duckdb": DUCKDB}
"""One record per dialect."""
