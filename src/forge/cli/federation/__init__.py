"""`forge source`: databases and files that queries read beside the lake."""
