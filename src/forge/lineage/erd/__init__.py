"""Entity-relationship diagrams."""
