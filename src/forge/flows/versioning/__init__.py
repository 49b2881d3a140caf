"""Versioning: branches, tags, commits, diffs, blame, time travel."""
