"""Quality from Python."""
