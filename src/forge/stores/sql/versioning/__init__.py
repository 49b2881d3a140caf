"""Branches, tags, merges and hashes in SQL."""
