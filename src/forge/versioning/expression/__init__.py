"""SQL expressions that resolve conflicts."""
