"""Words of the catalog: personal data."""
