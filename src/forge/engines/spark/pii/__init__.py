"""Samples of values for scans of personal data."""
