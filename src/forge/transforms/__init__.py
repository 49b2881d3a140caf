"""Transforms and sources: their definitions, the order they run in, what is selected. May import `forge.model` only."""
