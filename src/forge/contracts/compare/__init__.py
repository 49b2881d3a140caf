"""Comparing two versions of a contract: changes, the bump they need."""
