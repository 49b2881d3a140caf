"""Stores: databases and files. May import flows, domains and model."""
