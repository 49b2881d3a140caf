"""Anomalies: is a value of a metric what its own history lets expect? Pure: may import `forge.model` and numpy."""

from forge.quality.anomaly.find import find_anomalies, with_flags
from forge.quality.anomaly.methods import METHODS
from forge.quality.anomaly.opinion import Method
from forge.quality.anomaly.point import Feedback, Finding, History, Point

__all__ = ["METHODS", "Feedback", "Finding", "History", "Method", "Point", "find_anomalies", "with_flags"]
