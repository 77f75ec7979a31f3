"""A domain and a format of traces for truespec."""
