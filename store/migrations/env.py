"""Alembic's entry: migrate over the connection that `store.migrate` opened."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
