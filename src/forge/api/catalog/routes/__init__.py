"""Routes of the catalog."""
