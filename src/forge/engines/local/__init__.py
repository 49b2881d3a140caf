"""Work in subprocesses on this machine. May import `forge.flows` and what is below it."""
