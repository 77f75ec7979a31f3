"""Schedules of cron: do two of them fire at the same minutes?"""
