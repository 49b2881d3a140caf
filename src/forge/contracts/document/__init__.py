"""A contract's file as data with line and column of every value."""
