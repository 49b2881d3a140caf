"""`forge.connect().catalog`."""
