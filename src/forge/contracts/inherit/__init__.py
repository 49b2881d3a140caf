"""Inheritance of contracts: enterprise, domain, product."""
