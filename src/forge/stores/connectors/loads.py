"""Loads by the connector of a source: of tables of databases, of Delta tables at the version that was planned, and of
APIs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from forge.federation.source import ConnectorKind, Source, SourceOrigin
from forge.federation.source_keys import TIMESTAMP_AS_OF, VERSION_AS_OF, source_of_keys
from forge.model.errors import ForgeError
from forge.transforms.transform import ConnectorSource, Transform, TransformKind

if TYPE_CHECKING:
    from forge.federation.plan import Scan, SourceQuery
    from forge.federation.relation import SourceRelation
    from forge.flows.federation.ports import SourceConnector
    from forge.flows.runs.source_rows import SourceRows
    from forge.stores.connectors.delta import DeltaConnector

_DATABASES = (ConnectorKind.POSTGRESQL, ConnectorKind.MYSQL, ConnectorKind.SQLITE)


class ConnectorLoads:
    """Imports what reads when it reads: most plans have no such load."""

    def __init__(self, root: Path, secret: Callable[[str, str], str]) -> None:
        """`secret`: the text of a reference, and where it is written."""
        self._root, self._secret = root, secret

    def state(self, transform: Transform) -> str:
        source = self._source(transform)
        if source.connector is ConnectorKind.FILES:
            return _described(self._opened(source, transform), (), transform).version
        if source.connector is not ConnectorKind.DELTA:
            return ""
        table = self._delta(source)
        if transform.kind is TransformKind.BY_UNIQUE_KEY:
            table.refuse_no_feed(transform.output)
        return _described(table, (), transform).version

    def open(self, transform: Transform, state: str, since: str) -> SourceRows:
        source = self._source(transform)
        if source.connector is ConnectorKind.DELTA:
            return self._open_delta(source, transform, state, since)
        body = transform.body
        assert isinstance(body, ConnectorSource), "connectors read no other load"
        path: tuple[str, ...] = (body.table,) if body.table else ()
        if source.connector in _DATABASES and body.table:
            path = tuple(body.table.split("."))  # schema.table
        return self._whole(source, path, transform)

    def _open_delta(self, source: Source, transform: Transform, state: str, since: str) -> SourceRows:
        """At the version of `state`, whatever is written meanwhile."""
        table, _, version = state.rpartition(":")
        others = {name: value for name, value in source.options.items() if name != TIMESTAMP_AS_OF}
        source = replace(source, options=others | {VERSION_AS_OF: version})
        whole = self._whole(source, (), transform)
        before, _, first = since.rpartition(":")
        if not since or before != table or int(first) > int(version):
            return whole
        connector = self._delta(source)
        changes = replace(whole, are_changes=True)
        read = connector.changes(int(first), int(version), changes.schema)
        if read is None:
            return whole
        changes = replace(changes, read=read)
        changes.until.callback(connector.close)
        return changes

    def _delta(self, source: Source) -> DeltaConnector:
        from forge.stores.connectors.delta import DeltaConnector

        where = source.where or source.name
        return DeltaConnector(source, self._root, secret=lambda reference: self._secret(reference, where))

    def _whole(self, source: Source, path: tuple[str, ...], transform: Transform) -> SourceRows:
        from forge.flows.runs.source_rows import SourceRows

        connector = self._opened(source, transform)
        relation = _described(connector, path, transform)
        asked = _asked_whole(source, relation)
        rows = SourceRows(relation.columns, lambda: connector.read(asked, rows.schema))
        rows.until.callback(connector.close)
        return rows

    def _opened(self, source: Source, transform: Transform) -> SourceConnector:
        from forge.stores.connectors.connector import open_connector

        return open_connector(source, self._root, lambda reference: self._secret(reference, transform.where))

    def _source(self, transform: Transform) -> Source:
        """Of a table in a folder of Delta tables, that table."""
        assert isinstance(transform.body, ConnectorSource), "connectors read no other load"
        found = source_of_keys(transform.body.declared, SourceOrigin.FILE)
        found = replace(found, file=transform.file, line=transform.line)
        if found.connector is not ConnectorKind.DELTA or transform.body.table is None:
            return found
        folder = self._delta(found).folder_of(transform.body.table)
        return replace(found, path=folder)


def _asked_whole(source: Source, relation: SourceRelation) -> SourceQuery | Scan:
    """All rows and columns, as a query without any condition would ask for them: in parts, where it would."""
    from sqlglot import exp

    from forge.federation.dialects.render import render, set_path
    from forge.federation.dialects.rules import rules_of
    from forge.federation.plan import Fragment, Scan
    from forge.federation.planner.splits import mark_splits

    if not rules_of(source.connector).is_sql:
        return Scan(relation.name, tuple(one.name for one in relation.columns))
    table = exp.Table(alias=exp.TableAlias(this=exp.to_identifier("t", quoted=True)))
    set_path(table, (source.name, *relation.name.path))
    columns = [exp.column(one.name, table="t", quoted=True).as_(one.name, quoted=True) for one in relation.columns]
    query = exp.Select(expressions=columns)
    query.set("from_", exp.From(this=table))
    whole = Fragment("load", source.name, query, relation.columns, relations=(relation.name,), rows=relation.rows)
    (fragment,) = mark_splits((whole,), {relation.name: relation})
    return render(fragment, source.connector, {})


def _described(connector: SourceConnector, path: tuple[str, ...], transform: Transform) -> SourceRelation:
    found = connector.describe(path)
    if found is None and path:
        from forge.federation.drift import path_text
        from forge.model.name_suggestions import did_you_mean

        names = [path_text(one.path) for one in connector.relations()]
        what = f"the source has no table {'.'.join(path)}"
        raise ForgeError("E206", what, where=transform.where, fix=did_you_mean(".".join(path), names))
    if found is None:
        what = f"a load of {path[0] if path else 'a folder of Delta tables'} needs a table"
        raise ForgeError("E206", what, where=transform.where, fix="Write `table: orders`, one of those in the folder.")
    if found.delta is not None and found.delta.only_spark:
        what, why = f"{transform.output} cannot be loaded", f"{found.delta.only_spark}, and loads are read without it."
        fix = "Rewrite the table without them, or export it."
        raise ForgeError("E206", what, where=transform.where, why=why, fix=fix)
    return found
