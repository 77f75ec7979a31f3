"""A second reader, a second semantics, another prover: nothing here imports the code that finds verdicts."""
