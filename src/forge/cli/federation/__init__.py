"""Commands of federation: `source`, `query`, `vtable`, `saved-query`, `cache`."""
