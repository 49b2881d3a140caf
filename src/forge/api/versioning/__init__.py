"""Branches, commits, merges and diffs over HTTP."""
