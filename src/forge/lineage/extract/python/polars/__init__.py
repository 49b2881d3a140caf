"""The model of polars."""
