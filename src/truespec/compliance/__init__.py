"""What rules and evaluators found in a trace, as one artifact."""
