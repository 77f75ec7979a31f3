"""Guards: rules that stand between an agent and its tools, and hold before the act."""
