"""Channels that alerts go to: Slack, e-mail, PagerDuty, webhooks. Each sends one message and says what became of it;
when to send, again or not, is decided in `forge.flows.quality.incidents.deliveries`."""
