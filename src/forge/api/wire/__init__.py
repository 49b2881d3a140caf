"""The shapes of HTTP: what every route answers and takes, one module per noun. The web app's types are generated from
these, through OpenAPI. May import nothing of Forge.

Words are those of the terminal's JSON. Times are aware UTC. A list answers `items`, `next_cursor`, `has_more`."""
