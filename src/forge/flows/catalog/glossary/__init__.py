"""Glossary: create, change and delete terms, import and export them, suggest them for columns."""
