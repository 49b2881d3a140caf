"""Branches, commits, merges and history from Python."""
