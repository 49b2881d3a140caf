"""What each kind of source is proved to compute as Spark does, and how it is asked."""
