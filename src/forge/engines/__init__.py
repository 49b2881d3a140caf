"""Engines: where rows are touched. May import flows, domains and model."""
