"""From text to tokens to a tree: one lexer, whose facts stand in a record per engine."""
