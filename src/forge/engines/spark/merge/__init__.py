"""Diffs and merges of rows on Spark."""
