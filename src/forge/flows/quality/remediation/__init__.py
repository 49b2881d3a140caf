"""Remediation: proposals about failed checks, quarantine, decisions."""
