"""Extractors: each turns code, a plan or an event into an `Extraction`. Pure: may import `forge.model` and
`forge.lineage` only."""
