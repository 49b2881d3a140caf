"""Remediation: proposals for failed checks, quarantine, decisions."""
