"""`forge compile`: policies over all files of a project."""
