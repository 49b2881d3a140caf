"""A contract's file as data with the place of everything in it."""
