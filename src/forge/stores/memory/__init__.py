"""Memory adapters: for unit speed; they pass the same suites as the real ones."""
