"""The graph and its queries: index, traversal, paths, order, propagation, diff."""
