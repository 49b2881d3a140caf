"""Row operations on the driver, in Arrow, for small tables."""
