"""Federation over HTTP."""
