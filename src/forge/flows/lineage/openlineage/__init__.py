"""OpenLineage: events taken in and sent."""
