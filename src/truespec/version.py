"""The version of this package, named in every verdict."""

__version__ = "0.1.0"
