"""truespec for programs and people beside the command line.

`service` verifies and checks for all surfaces, `queue` shares the workers fairly, `mcp` offers tools to
agents.
"""
