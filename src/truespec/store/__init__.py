"""Results that survive a kill."""
