"""Other tools for data contracts, behind one port."""
