"""The search for a small database on which two queries differ, run on the dialect's real engine."""
