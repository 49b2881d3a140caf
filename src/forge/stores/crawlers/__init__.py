"""Crawlers: what sources have, as the catalog takes it in. Each is named by its source."""
