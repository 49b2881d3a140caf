"""Impact analysis."""
