"""Upkeep: doctor, repair, gc, access, audit."""
