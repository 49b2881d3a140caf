"""Flows: one module per story; the only place where two domains meet. May import the domains and `forge.model`."""
