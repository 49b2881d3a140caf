"""Lineage: the graph follows commits, is asked at any time, and takes in what others declare."""
