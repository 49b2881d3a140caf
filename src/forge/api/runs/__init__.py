"""Runs and the overview page over HTTP."""
