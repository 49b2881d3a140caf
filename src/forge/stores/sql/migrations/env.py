"""Alembic's entry: runs on the connection that `forge.stores.sql.database.migrate` opened and locked."""

from alembic import context

from forge.stores.sql.migrations import VERSION_TABLE

context.configure(connection=context.config.attributes["connection"], version_table=VERSION_TABLE)
with context.begin_transaction():
    context.run_migrations()
