"""The tasks that come with the package: TOML files for each domain, every task with recorded answers."""

from truespec.benchmark.bundled.read import BundledTask, RecordedAnswer, Writing, domains
from truespec.benchmark.bundled.variants import tasks

__all__ = ["BundledTask", "RecordedAnswer", "Writing", "domains", "tasks"]
