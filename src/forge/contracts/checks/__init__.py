"""Checks that a contract stands for."""
