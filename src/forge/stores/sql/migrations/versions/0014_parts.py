"""What an output was made from, part by part, and the content of the files that were loaded."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.add_column("forge_outputs", sa.Column("parts", sa.Text))
    op.add_column("forge_loaded_files", sa.Column("digest", sa.String(64)))
