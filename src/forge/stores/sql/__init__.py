"""SQL store: SQLAlchemy on SQLite and PostgreSQL, one list of migrations."""
