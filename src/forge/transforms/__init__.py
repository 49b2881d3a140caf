"""Transforms and sources: their definitions, their order, and selectors. May import `forge.model` only."""
