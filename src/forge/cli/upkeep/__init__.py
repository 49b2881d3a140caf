"""Commands of upkeep: `doctor`, `repair`, `gc`, `verify`, `token`, `serve`, `setup`, `explain`."""
