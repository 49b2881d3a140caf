"""The pandas model."""
