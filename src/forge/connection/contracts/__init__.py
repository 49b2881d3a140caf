"""Contracts from Python."""
