"""Guards inside agent frameworks; each module names the extra that it needs."""
