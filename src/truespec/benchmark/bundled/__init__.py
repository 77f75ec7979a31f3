"""The tasks that come with the package: one TOML file per domain, each task with recorded answers."""

from truespec.benchmark.bundled.read import BundledTask, RecordedAnswer, Writing, domains, tasks

__all__ = ["BundledTask", "RecordedAnswer", "Writing", "domains", "tasks"]
