"""Quality: what to measure, how to judge it. Pure: may import `forge.model` only."""
