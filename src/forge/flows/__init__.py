"""Flows: use cases, one per module; the only layer where domains meet. May import the domains and `forge.model`."""
