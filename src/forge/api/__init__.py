"""HTTP. Comes with the server; the room is kept."""
