"""Rules that are checked rather than judged: a language, and monitors that read a trace once.

`rule` and `language` say what a rule is, `predicate` what can be said of one event, `formula` what can be
said of a sequence (linear temporal logic on finite traces, with past), `progress` runs formulas, `direct`
evaluates them by definition, `monitor` runs rules over traces, `compare` proves what rules mean to each
other.
"""
