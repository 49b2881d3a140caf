"""The shorthand form of contracts, turned into ODCS."""
