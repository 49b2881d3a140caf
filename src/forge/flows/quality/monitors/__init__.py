"""Monitors: which checks of which dataset are judged when."""
