"""SQL queries: prove them equal, refute them on a real engine, or say why not."""
