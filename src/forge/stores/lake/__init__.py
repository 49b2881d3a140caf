"""Lake store: Iceberg tables through PyIceberg: metadata, manifests, and small reads and writes without an engine."""
