"""JSON of federation."""
