"""Discovery: usage, popularity, similar assets, recommendations. May import `forge.model` only."""
