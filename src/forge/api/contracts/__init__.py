"""Contracts over HTTP."""
