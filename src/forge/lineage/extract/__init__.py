"""Extractors: each turns something that knows where data comes from into an `Extraction`."""
