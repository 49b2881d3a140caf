"""Reads a query of a source to its end and says how many rows it had, and how many bytes the process grew meanwhile:
`source_reader.py CONNECTOR URL TEXT`, the secrets in the environment."""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path

import pyarrow as pa

from forge.federation.plan import SourceQuery
from forge.federation.source import ConnectorKind, Source
from forge.stores.connectors import open_connector


def main(connector: str, root: str, url: str, user: str, password: str, text: str) -> None:
    source = Source("shop", ConnectorKind(connector), url=url, user=user or None, password=password or None)
    opened = open_connector(source, Path(root), lambda reference: os.environ[reference.removeprefix("env:")])
    schema = pa.schema([("i", pa.int64()), ("s", pa.string())])
    reader = opened.read(SourceQuery(text), schema)
    rows = reader.read_next_batch().num_rows
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    size = 0
    for batch in reader:
        rows, size = rows + batch.num_rows, size + batch.nbytes
    print(rows, size, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)


if __name__ == "__main__":
    main(*sys.argv[1:])
