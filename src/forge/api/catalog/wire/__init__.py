"""JSON of the catalog."""
