"""One engine of symbolic derivatives, over any effective Boolean algebra."""
