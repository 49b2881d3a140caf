"""Catalog: assets, samples, profiles, personal data."""
