"""Engines: where rows are processed. May import flows, domains and model."""
