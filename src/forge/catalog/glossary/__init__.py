"""Glossary: terms of the business, their files, and columns they could describe. May import `forge.model` only."""
