"""Where verifications run: warm worker processes under a wall limit and a memory cap."""
