"""Discovery: recording of usage, popular and similar assets, recommendations."""
