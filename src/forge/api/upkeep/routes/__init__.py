"""Routes of the server itself."""
