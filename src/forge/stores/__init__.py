"""Stores: databases and files behind the ports. May import flows, domains and model."""
