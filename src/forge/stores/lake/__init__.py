"""Lake store: Iceberg table metadata through PyIceberg. No rows of data."""
