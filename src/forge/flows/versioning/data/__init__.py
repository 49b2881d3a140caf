"""Commits of data: append, overwrite, merge by key, delete."""
