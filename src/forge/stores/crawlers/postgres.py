"""A PostgreSQL database as a source: set-based queries of its catalog, however many tables it has.

The server tells a mark of the version of each table; facts and columns are only fetched of those whose mark is new."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from forge.catalog.asset import AssetType, CrawledAsset, CrawledColumn
from forge.catalog.crawl import CrawlMark, SeenAsset, Sighting, UnmovedAsset
from forge.stores.crawlers.databases import unreachable_source

_WANTED = """
  c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
  AND n.nspname NOT IN ('information_schema', 'pg_catalog') AND n.nspname NOT LIKE 'pg\\_%'
  AND (:everything OR n.nspname = ANY(:schemas))
  AND has_schema_privilege(n.oid, 'USAGE')
"""
# Tables with a mark of their version: the transactions that wrote their rows of the catalog. Sizes and counts are
# estimates of the server, which change with every write: they are a change once they differ by about a quarter.
_TABLES = f"""
WITH columns AS (
  SELECT attrelid, concat_ws(',', count(*), sum(xmin::text::bigint)) AS mark
  FROM pg_attribute WHERE attnum > 0 GROUP BY attrelid
), comments AS (
  SELECT objoid, concat_ws(',', count(*), sum(xmin::text::bigint)) AS mark
  FROM pg_description WHERE classoid = 'pg_class'::regclass GROUP BY objoid
), keys AS (
  SELECT conrelid, max(xmin::text::bigint) AS mark FROM pg_constraint WHERE contype = 'p' GROUP BY conrelid
)
SELECT c.oid::bigint AS oid, n.nspname AS schema, c.relname AS name, c.relkind AS kind,
  concat_ws('/', c.xmin, columns.mark, comments.mark, coalesce(keys.mark, 0),
    floor(ln(greatest(c.reltuples, 1)) * 4), floor(ln(greatest(c.relpages, 1)) * 4)) AS mark
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN columns ON columns.attrelid = c.oid
LEFT JOIN comments ON comments.objoid = c.oid
LEFT JOIN keys ON keys.conrelid = c.oid
WHERE {_WANTED}
"""  # noqa: S608  constants
_FACTS = """
SELECT c.oid::bigint AS oid, pg_get_userbyid(c.relowner) AS owner, obj_description(c.oid, 'pg_class') AS description,
  c.reltuples::bigint AS rows, CASE WHEN c.relkind IN ('r', 'm') THEN c.relpages::bigint * 8192 END AS size,
  ARRAY(SELECT a.attname FROM pg_constraint k
        CROSS JOIN LATERAL unnest(k.conkey) WITH ORDINALITY AS part(number, place)
        JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = part.number
        WHERE k.conrelid = c.oid AND k.contype = 'p' ORDER BY part.place)::text[] AS key
FROM pg_class c WHERE c.oid = ANY(CAST(:oids AS oid[]))
"""
_COLUMNS = """
SELECT a.attrelid::bigint AS oid, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
  NOT a.attnotnull AS nullable, d.description AS description
FROM pg_attribute a
LEFT JOIN pg_description d ON d.objoid = a.attrelid AND d.classoid = 'pg_class'::regclass AND d.objsubid = a.attnum
WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attrelid = ANY(CAST(:oids AS oid[]))
ORDER BY a.attrelid, a.attnum
"""
_VIEWS = ("v", "m")
_AT_ONCE = 2_000  # tables whose columns are in memory as rows


class PostgresCrawler:
    def __init__(self, source: str, engine: Engine, prefix: str, schemas: Sequence[str] = ()) -> None:
        """`prefix`: what is before schema.table in a name, like postgresql:shop."""
        self.source = source
        self._engine, self._prefix, self._schemas = engine, prefix, list(schemas)

    def sightings(self, known: Mapping[str, CrawlMark]) -> Iterator[Sighting]:
        try:
            with self._engine.connect() as connection:
                yield from self._look(connection, known)
        except DBAPIError as error:
            raise unreachable_source(self.source, error) from error
        finally:
            with suppress(DBAPIError):
                self._engine.dispose()

    def _look(self, connection: Connection, known: Mapping[str, CrawlMark]) -> Iterator[Sighting]:
        asked = {"everything": not self._schemas, "schemas": self._schemas}
        moved: list[Mapping[Any, Any]] = []
        for row in connection.execute(text(_TABLES), asked).mappings().all():
            name = f"{self._prefix}.{row['schema']}.{row['name']}"
            mark = known.get(name)
            is_same = mark is not None and mark.pointer == row["mark"] and mark.state == "active"
            if is_same and mark is not None and mark.key == str(row["oid"]):
                yield UnmovedAsset(name)
            else:
                moved.append(row)
        for start in range(0, len(moved), _AT_ONCE):
            yield from self._read(connection, moved[start : start + _AT_ONCE])

    def _read(self, connection: Connection, rows: Sequence[Mapping[Any, Any]]) -> Iterator[Sighting]:
        oids = {"oids": [row["oid"] for row in rows]}
        facts = {row["oid"]: row for row in connection.execute(text(_FACTS), oids).mappings()}
        columns: dict[int, list[CrawledColumn]] = {}
        for oid, *parts in connection.execute(text(_COLUMNS), oids):
            columns.setdefault(oid, []).append(CrawledColumn(parts[0], parts[1], parts[2], parts[3] or ""))
        for row in rows:
            fact = facts.get(row["oid"])
            if fact is not None:  # else it was dropped this moment
                yield SeenAsset(self._asset(row, fact, tuple(columns.get(row["oid"], ()))), row["mark"])

    def _asset(
        self, row: Mapping[Any, Any], fact: Mapping[Any, Any], columns: tuple[CrawledColumn, ...]
    ) -> CrawledAsset:
        return CrawledAsset(
            qualified_name=f"{self._prefix}.{row['schema']}.{row['name']}",
            type=AssetType.VIEW if row["kind"] in _VIEWS else AssetType.TABLE,
            source=self.source,
            key=str(row["oid"]),
            system="postgresql",
            location=f"{row['schema']}.{row['name']}",
            description=fact["description"] or "",
            owner=fact["owner"],
            columns=columns,
            primary_key=tuple(fact["key"]),
            row_count=fact["rows"] if fact["rows"] >= 0 and row["kind"] != "v" else None,
            size_bytes=fact["size"],
        )
