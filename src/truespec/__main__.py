"""`python -m truespec`."""

from truespec.cli.main import main

main()
