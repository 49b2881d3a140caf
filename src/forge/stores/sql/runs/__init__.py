"""Runs and jobs in SQL."""
