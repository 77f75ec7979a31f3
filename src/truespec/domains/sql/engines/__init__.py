"""The engines that SQL queries run on: SQLite and DuckDB embedded, MariaDB and PostgreSQL as servers."""
