"""Registered contracts in SQL."""
