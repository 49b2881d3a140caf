"""JSON of the server itself."""
