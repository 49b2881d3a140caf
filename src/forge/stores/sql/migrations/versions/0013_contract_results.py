"""What lists show of tests of contracts, beside their checks."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.add_column("forge_contract_results", sa.Column("summary", sa.Text))
