"""The graph and its questions: index, traversal, paths, order, propagation, difference."""
