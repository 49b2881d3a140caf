"""Channels: Slack, e-mail, PagerDuty, webhooks, OpenLineage. Each sends one message and returns the outcome."""
