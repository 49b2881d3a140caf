"""The server itself, sessions and tokens over HTTP."""
