"""The Spark session: start, process, pools, cancellation."""
