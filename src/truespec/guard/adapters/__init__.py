"""Guards inside agent frameworks; each module needs its framework, an extra of the same name."""
