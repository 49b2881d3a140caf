"""HTTP: the application, its routes and its server. May import `connection` and everything below, never `cli`."""
