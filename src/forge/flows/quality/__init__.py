"""Quality: measure, judge, record and show what checks say."""
