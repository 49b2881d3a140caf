"""Impact of a change on all that depends on it."""
