"""Runs and the first page over HTTP."""
