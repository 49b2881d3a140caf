"""Federation: one SQL over many sources. Comes later; the room is kept."""
