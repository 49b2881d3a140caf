"""Measures of checks on Spark."""
