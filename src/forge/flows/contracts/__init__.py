"""Contracts: registry, inheritance, drift, gates, import and export."""
