"""What rules and evaluators found in a trace, as one artifact."""

RULE_SET = "rule_set"
"""The field that tells the line of a rule set from an artifact, in compact files."""
