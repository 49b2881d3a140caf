"""Routes of federation."""
