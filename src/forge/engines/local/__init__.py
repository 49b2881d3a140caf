"""Work on this machine, in processes of its own. May import `forge.flows` and what is below it."""
