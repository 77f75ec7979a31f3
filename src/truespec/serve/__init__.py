"""truespec for programs and people beside the command line.

`service` verifies and checks for all surfaces, `queue` shares the workers fairly. `guarded` stands before
every HTTP request; `api` is the HTTP API and `openapi` its description; `app` makes the pages; `mcp` offers
tools to agents.
"""
