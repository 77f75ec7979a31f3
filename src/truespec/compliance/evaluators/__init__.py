"""The seven evaluators of the paper (section 3.3): what each needs, how it asks, how its answer is read."""
