"""The model of pandas."""
