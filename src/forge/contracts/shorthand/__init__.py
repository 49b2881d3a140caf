"""The shorthand form of contracts, converted to ODCS."""
