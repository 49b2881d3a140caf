"""Row work on the driver, in Arrow, for small tables."""
