"""The same documents and questions with SQLite's FTS5: a table of words beside a table of facets."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from forge.catalog.search.document import DocumentType, SearchDocument
from forge.catalog.search.fields import COLUMN_PREFIX, NAME, PLACE, PREFIX, RELATED, TEXT, facet_values, tokens_of
from forge.catalog.search.query import SearchFacet, SearchFilter, SearchQuery, SearchSort
from forge.catalog.search.rank import freshness_of, rank_of

_ONE = (SearchFacet.TYPE, SearchFacet.DOMAIN, SearchFacet.OWNER, SearchFacet.CLASSIFICATION, SearchFacet.QUALITY)
_MANY = (SearchFacet.TAG, SearchFacet.PII)
_SCHEMA = """
CREATE VIRTUAL TABLE words USING fts5(name, place, related, body, columns, content='', prefix='1 2 3 4');
CREATE TABLE documents (n INTEGER PRIMARY KEY, id TEXT, type TEXT, domain TEXT, owner TEXT, classification TEXT,
  quality TEXT, rank INT, popularity INT, fresh INT, body TEXT);
CREATE TABLE many (facet TEXT, value TEXT, n INTEGER);
"""
_INDICES = """
CREATE INDEX many_value ON many (facet, value, n); CREATE INDEX many_n ON many (n, facet, value);
CREATE INDEX by_domain ON documents (domain); CREATE INDEX by_owner ON documents (owner);
CREATE INDEX by_fresh ON documents (fresh); CREATE INDEX by_id ON documents (id);
CREATE INDEX by_popularity ON documents (popularity);
ANALYZE;
"""
_TOP = "GROUP BY 1 ORDER BY 2 DESC LIMIT 50"
_ORDERS = {SearchSort.FRESHNESS: "d.fresh DESC", SearchSort.POPULARITY: "d.popularity DESC", SearchSort.NAME: "d.id"}


class Fts5Catalog:
    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path)
        self._connection.executescript("PRAGMA journal_mode=off; PRAGMA synchronous=off; PRAGMA cache_size=-512000;")

    def build(self, documents: Iterable[SearchDocument]) -> None:
        self._connection.executescript(_SCHEMA)
        numbered = enumerate(documents)
        while part := list(islice(numbered, 5000)):
            rows = [(number, document, tokens_of(document), facet_values(document)) for number, document in part]
            self._connection.executemany(
                "INSERT INTO words (rowid, name, place, related, body, columns) VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (
                        n,
                        " ".join((*t[NAME], *t[PREFIX])),
                        *(" ".join(t[f]) for f in (PLACE, RELATED, TEXT, COLUMN_PREFIX)),
                    )
                    for n, _, t, _ in rows
                ],
            )
            self._connection.executemany(
                "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        n,
                        d.id,
                        *(next(iter(v[f]), None) for f in _ONE),
                        rank_of(d),
                        d.popularity,
                        freshness_of(d),
                        d.description,
                    )
                    for n, d, _, v in rows
                ],
            )
            self._connection.executemany(
                "INSERT INTO many VALUES (?, ?, ?)",
                [(f.value, one, n) for n, _, _, v in rows for f in _MANY for one in v[f]],
            )
        self._connection.executescript(_INDICES)
        self._connection.commit()

    def search(self, query: SearchQuery) -> int:
        """A page of results with all facets: what Forge is asked for, without stages and typos."""
        self._connection.execute("CREATE TEMP TABLE IF NOT EXISTS found (n INTEGER PRIMARY KEY)")
        self._connection.execute("DELETE FROM found")
        where, values = self._where(query)
        self._connection.execute(f"INSERT INTO found SELECT d.n FROM documents d WHERE {where}", values)
        (total,) = self._connection.execute("SELECT count(*) FROM found").fetchone()
        order = _ORDERS.get(query.sort, "d.rank DESC, d.id")
        self._connection.execute(
            f"SELECT d.id, d.body FROM found f JOIN documents d USING (n) ORDER BY {order} LIMIT ?",
            (query.limit,),
        ).fetchall()
        for facet in query.facets:
            if facet in _MANY:
                sql = f"SELECT m.value, count(*) FROM found f JOIN many m USING (n) WHERE m.facet = ? {_TOP}"
                self._connection.execute(sql, (facet.value,)).fetchall()
            else:
                column = "type" if facet is SearchFacet.TYPE else facet.value
                sql = f"SELECT d.{column}, count(*) FROM found f JOIN documents d USING (n) {_TOP}"
                self._connection.execute(sql).fetchall()
        return int(total)

    def suggest(self, prefix: str, limit: int) -> int:
        words = SearchQuery(text=prefix).words
        if not words:
            return 0
        sql = (
            "SELECT d.id FROM words JOIN documents d ON d.n = words.rowid "
            "WHERE words MATCH ? ORDER BY d.rank DESC LIMIT ?"
        )
        match = "{name place} : " + " AND ".join(f'"{word}"*' for word in words)
        return len(self._connection.execute(sql, (match, limit)).fetchall())

    def _where(self, query: SearchQuery) -> tuple[str, list[object]]:
        clauses, values = ["1"], list[object]()
        if query.words:
            match = " AND ".join(f'"{word}"*' for word in query.words)
            within = "{columns} : " if DocumentType.COLUMN in query.types else ""
            clauses.append("d.n IN (SELECT rowid FROM words WHERE words MATCH ?)")
            values.append(f"{within}({match})")
        for name, wanted in query.filters.items():
            if name in (SearchFilter.TAG, SearchFilter.PII):
                clauses.append("d.n IN (SELECT n FROM many WHERE facet = ? AND value = ?)")
                values += [name.value, wanted[0]]
            else:
                clauses.append(f"d.{name.value} = ?")
                values.append(wanted[0])
        return " AND ".join(clauses), values

    def close(self) -> None:
        self._connection.close()
