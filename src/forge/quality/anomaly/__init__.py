"""Anomaly detection: whether a metric's value is expected from its own history. Pure: may import `forge.model` and
numpy."""

from forge.quality.anomaly.find import find_anomalies, with_flags
from forge.quality.anomaly.methods import METHODS
from forge.quality.anomaly.opinion import Method
from forge.quality.anomaly.point import AnomalyFinding, Feedback, MetricHistory, Point

__all__ = ["METHODS", "AnomalyFinding", "Feedback", "Method", "MetricHistory", "Point", "find_anomalies", "with_flags"]
