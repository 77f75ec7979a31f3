"""The boundary to solvers, provers and databases: their timeouts and crashes become reasons here."""
