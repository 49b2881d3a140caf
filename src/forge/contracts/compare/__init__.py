"""Comparison of two versions of a contract: changes and the required bump."""
