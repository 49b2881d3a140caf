"""Commands of runs: `init`, `demo`, `plan`, `run`, `runs`."""
