"""Memory adapters: for fast unit tests; they pass the same suites as the real ones."""
