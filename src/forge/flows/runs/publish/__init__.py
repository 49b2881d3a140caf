"""Publishing: staged tables become one commit of a branch, in one transaction."""
