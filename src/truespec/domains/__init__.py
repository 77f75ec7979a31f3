"""The specification languages: each parses, decides, replays and re-checks its own texts."""
