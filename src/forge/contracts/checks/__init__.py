"""The checks that a contract implies."""
