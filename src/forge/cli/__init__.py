"""The terminal: Typer commands that translate and delegate to flows."""
