"""Versioning in memory, for tests of the flows."""
