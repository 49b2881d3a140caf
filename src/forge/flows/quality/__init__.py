"""Quality: measure, judge, record and query check results."""
