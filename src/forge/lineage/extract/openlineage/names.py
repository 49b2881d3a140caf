"""Maps OpenLineage names to entity names.

A dataset of the lake's own namespace is `schema.table`; of a file store, its path (`s3://bucket/orders/2026`). Any
other is `system:name`, where the system is scheme and host of the namespace, so that tables of two servers never
collide: `postgres://db.example:5432` + `shop.public.orders` is `postgres@db.example:shop.public.orders`. Default ports
are omitted. Settings may give a namespace a shorter name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from forge.lineage.extract.openlineage.model import EventJob, NamespacedName
from forge.lineage.node import Entity, NodeType
from forge.model.errors import ForgeError
from forge.model.names import TableName

OWN = "forge"  # the namespace of the lake's own tables, unless settings say another
_FILES = {"s3": "s3", "s3a": "s3", "s3n": "s3", "gs": "gs", "gcs": "gs"} | {
    scheme: scheme for scheme in ("abfs", "abfss", "wasb", "wasbs", "hdfs", "dbfs", "webhdfs", "oss")
}
_PORTS = {
    "postgres": "5432",
    "postgresql": "5432",
    "mysql": "3306",
    "sqlserver": "1433",
    "mssql": "1433",
    "oracle": "1521",
    "redshift": "5439",
    "hive": "9083",
    "kafka": "9092",
    "trino": "8080",
    "cassandra": "9042",
    "clickhouse": "8123",
}
_UNFIT = re.compile(r"[^A-Za-z0-9._\-]+")
_GLUE = re.compile(r"arn:aws[a-z-]*:glue:([^:]*):(\d*)")


@dataclass(frozen=True, slots=True)
class DatasetNaming:
    """`own`: namespaces of the lake. `systems`: prefix by namespace; the lake's database name stands for the lake
    itself."""

    own: frozenset[str] = frozenset({OWN})
    systems: Mapping[str, str] = field(default_factory=dict)
    database: str = "lake"

    def table(self, name: NamespacedName, links: Iterable[NamespacedName] = ()) -> Entity:
        """A dataset may say under which other names it is known; where one of them is the lake's, it is meant."""
        for one in (name, *links):
            if self._is_own(one.namespace):
                own = self._own_table(one.name)
                if own is not None:
                    return Entity(NodeType.TABLE, own)
        return Entity(NodeType.EXTERNAL, self._outside(name))

    def _is_own(self, namespace: str) -> bool:
        return namespace in self.own or self.systems.get(namespace) == self.database

    def _own_table(self, name: str) -> str | None:
        parts = name.split(".")
        short = ".".join(parts[1:]) if len(parts) == 3 and parts[0] in (self.database, "spark_catalog") else name
        try:
            return str(TableName.parse(short))
        except ForgeError:
            return None

    def _outside(self, name: NamespacedName) -> str:
        given = self.systems.get(name.namespace)
        if given and given != self.database:
            return f"{given}:{name.name}"
        scheme, _, place = name.namespace.partition("://")
        if scheme in _FILES:
            return f"{_FILES[scheme]}://{place.strip('/')}/{name.name.lstrip('/')}"
        if name.namespace.rstrip(":/") == "file":
            return name.name
        if scheme == "file":
            return f"file://{place.strip('/')}/{name.name.lstrip('/')}"
        glue = _GLUE.match(name.namespace)
        if glue and name.name.startswith("table/"):
            return f"glue@{glue[1]}_{glue[2]}:{name.name.removeprefix('table/').replace('/', '.')}"
        return f"{system_of(name.namespace)}:{name.name}"


def system_of(namespace: str) -> str:
    """A valid system prefix: without colon and slash."""
    scheme, there, place = namespace.partition("://")
    kind = _UNFIT.sub("_", scheme if there else namespace).strip("_") or "unknown"
    host, _, port = place.strip("/").rpartition(":")
    if not host or not port.isdigit():
        host, port = place.strip("/"), ""
    where = _UNFIT.sub("_", host.rpartition("@")[2]).strip("_")
    if port and port != _PORTS.get(scheme):
        where = f"{where}_{port}"
    return f"{kind}@{where}" if where else kind


def job_of(job: EventJob | NamespacedName) -> Entity:
    name = job.name if isinstance(job, EventJob) else job
    return Entity(NodeType.PROCESS, f"{name.namespace}/{name.name}")


def pipeline_of(parent: NamespacedName) -> Entity:
    """What starts jobs."""
    return Entity(NodeType.PIPELINE, f"{parent.namespace}/{parent.name}")


def producer_of(job: NamespacedName) -> str:
    return f"openlineage:{job.namespace}/{job.name}"


def producer_of_dataset(dataset: NamespacedName) -> str:
    return f"openlineage-dataset:{dataset.namespace}/{dataset.name}"
