"""Federation: one SQL over many sources. Not built yet."""
