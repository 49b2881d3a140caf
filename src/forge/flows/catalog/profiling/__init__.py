"""Profiling of tables and views: measuring, storing, history and differences."""
