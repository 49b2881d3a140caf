"""Channels: Slack, e-mail, PagerDuty, webhooks, OpenLineage. Each sends one message and says what became of it."""
