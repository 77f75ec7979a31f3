"""The rules of the prover, one to a file: statement, side conditions, why it holds."""
