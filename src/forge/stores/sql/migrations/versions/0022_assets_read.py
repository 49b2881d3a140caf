"""What dashboards, metrics, models and features read, so that a table can be asked who reads it. Crawls write it from
now on; those of before are read once."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"

READING = ("dashboard", "model", "feature", "metric")


def upgrade() -> None:
    columns = ("kind", "value", "uid", "column_name")
    labels = sa.table("forge_catalog_labels", *(sa.column(name) for name in columns))
    assets = sa.table("forge_catalog_assets", sa.column("uid"), sa.column("type"), sa.column("crawled", sa.Text))
    found = op.get_bind().execute(sa.select(assets.c.uid, assets.c.crawled).where(assets.c.type.in_(READING)))
    rows = [
        {"kind": "reads", "value": name, "uid": uid, "column_name": ""}
        for uid, crawled in found
        for name in dict.fromkeys(json.loads(crawled).get("backed_by", ()))
        if "\x00" not in name
    ]
    if rows:
        op.bulk_insert(labels, rows)
