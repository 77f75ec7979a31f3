"""First-order logic: equivalence of sentences, with finite counterexamples."""
