"""Runs: project, plan, build, gate, publish, run record, jobs."""
