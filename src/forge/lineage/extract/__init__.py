"""Extractors: each turns something that knows where data comes from into an `Extraction`. Pure: may import
`forge.model` and `forge.lineage` only."""
