"""Bytes and texts from outside, bounded before anything parses or unpacks them."""
