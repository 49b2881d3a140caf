"""The polars model."""
