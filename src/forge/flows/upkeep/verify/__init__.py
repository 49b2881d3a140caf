"""Verification: the history and the files against their hashes."""
