"""Facts: what producers claim of edges and nodes, with evidence and intervals."""
