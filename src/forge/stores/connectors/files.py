"""Files of one shape as a relation: a file, a folder or a pattern, of this machine or of a store that speaks S3. The
source is the relation, so its path is empty: `FROM events`. Files understand no SQL and are asked by `Scan`; filters
mean what they mean in Spark, where NULL is neither true nor false, and NaN equals itself and is greater than every
number.

Parquet has its own columns: those of the first file, by path, unless some are declared; unsigned numbers become wider
ones. CSV and JSON lines have the declared columns (E209), in the dialect of the files that transforms load. A text that
is no value of its type is an error (E210), never NULL; so is an option that only Spark's own reader knows (E206)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forge.federation.object_path import is_object_path
from forge.federation.plan import Scan, SourceQuery
from forge.federation.relation import RelationName, SourceColumn, SourceRelation
from forge.federation.source import Source
from forge.federation.statistics import NOTHING_KNOWN, ColumnStatistics, bounds_of
from forge.flows.federation.ports import UnfitValueError
from forge.flows.runs.records import LoadedFile
from forge.flows.runs.source_files import (
    CSV_DEFAULTS,
    find_files,
    lines_of,
    open_text,
    refuse_other_columns,
    refuse_other_names,
)
from forge.model.errors import CellError, ForgeError
from forge.model.types import parse_type
from forge.stores.connectors.cells import batches_of
from forge.stores.connectors.json_cells import json_array, parse_json, strict_array
from forge.stores.connectors.objects import ENDPOINT, REGION, ObjectStore, are_settled, in_bucket
from forge.stores.connectors.running import RunningReads, started
from forge.stores.connectors.scans import chosen, expression, spelled, typed
from forge.transforms.transform import FileSource
from forge.versioning.arrow_types import arrow_type, type_name

if TYPE_CHECKING:
    import pyarrow as pa

_OPTIONS: Mapping[str, frozenset[str]] = {
    "parquet": frozenset(),
    "csv": frozenset({"header", "sep", "delimiter", "encoding", *map(str.lower, CSV_DEFAULTS)}),
    "json": frozenset({"encoding", "multiline"}),
}
_SAMPLE = 65_536  # bytes of the first file, which tell how long a line is
_GZIP = b"\x1f\x8b"
_CELL = 8  # bytes, about
_HEAD_BYTES = 1024 * 1024  # of an object, by which its columns are told
_INTEGER = re.compile(r"[+-]?\d+")
_WIDER = {"uint8": "smallint", "uint16": "int", "uint32": "bigint", "uint64": "decimal(20,0)"}


class FilesConnector:
    def __init__(
        self,
        source: Source,
        root: Path,
        refuse: Callable[[Path], None] = lambda path: None,
        secret: Callable[[str], str] = lambda reference: reference,
    ) -> None:
        self._root, self._refuse = root, refuse
        self._name = source.name
        self._objects = ObjectStore(source, secret) if is_object_path(source.path) else None
        own = (ENDPOINT, REGION) if self._objects else ()
        options = {name: value for name, value in source.options.items() if name not in own}
        self._files = FileSource(source.format, source.path, dict(source.columns), options)  # type: ignore[arg-type]
        self._where = f"{source.file}:{source.line}" if source.file else source.name
        self._running = RunningReads(source.name)

    def test(self) -> str:
        found = self._found()
        self._refuse_other_columns(found)
        return f"{len(found)} {'file' if len(found) == 1 else 'files'} of {self._files.format}"

    def relations(self) -> tuple[RelationName, ...]:
        return (RelationName(self._name, ()),)

    def describe(self, path: tuple[str, ...]) -> SourceRelation | None:
        if path:
            return None
        found = self._found()
        statistics = self._statistics(found)
        columns = tuple(
            SourceColumn(
                field.name,
                parse_type(_spark_type(field.type)),
                nullable=True,
                native=str(field.type),
                statistics=statistics.get(field.name, NOTHING_KNOWN),
            )
            for field in self._schema(found)
        )
        seen = "\n".join(f"{one.path}\0{one.size}\0{one.modified_ns}\0{self._changed_ns(one)}" for one in found)
        return SourceRelation(
            RelationName(self._name, ()),
            columns,
            rows=self._rows(found),
            bytes=sum(one.size for one in found),
            version=hashlib.sha256(seen.encode("utf-8", "surrogateescape")).hexdigest() if self._is_told(found) else "",
        )

    def read(self, asked: SourceQuery | Scan, schema: pa.Schema, batch_rows: int = 65_536) -> pa.RecordBatchReader:
        if isinstance(asked, SourceQuery):
            raise TypeError("files understand no SQL")
        return started(schema, self._batches(asked, schema, batch_rows))

    def cancel(self) -> None:
        self._running.cancel()

    def close(self) -> None:
        self._running.cancel()

    def _found(self) -> tuple[LoadedFile, ...]:
        self._refuse_options()
        if self._objects is not None:
            return self._objects.find(self._files.format, self._where)
        found = find_files(self._files, self._root, self._where)
        for path in self._paths(found):
            self._refuse(Path(path))
        return found

    def _is_told(self, found: tuple[LoadedFile, ...]) -> bool:
        return self._objects is None or are_settled(found)

    def _refuse_other_columns(self, found: Sequence[LoadedFile]) -> None:
        """Of objects only a part is fetched for it: of Parquet its schema, of others the first lines."""
        if self._objects is None:
            refuse_other_columns(self._files, found, self._root, self._where)
            return
        for one in found:
            if self._files.format == "parquet":
                refuse_other_names(self._files, self._parquet_schema(one).names, one.path, self._where)
            else:
                with self._objects.copied(one, _HEAD_BYTES) as head:
                    self._refuse_head(one, head)

    def _refuse_head(self, file: LoadedFile, head: Path) -> None:
        """The last line of a part may be cut off."""
        if file.size > _HEAD_BYTES and head.suffix not in (".gz", ".bz2"):
            content = head.read_bytes()
            head.write_bytes(content[: content.rfind(b"\n") + 1] or content)
        elif file.size > _HEAD_BYTES:
            return  # a packed part ends in the middle; who reads it all will be told
        refuse_other_columns(self._files, (replace(file, path=head.name),), head.parent, self._where)

    def _parquet_schema(self, file: LoadedFile) -> pa.Schema:
        import pyarrow as pa
        import pyarrow.parquet as parquet

        if self._objects is None:
            return parquet.read_schema(str(self._root / file.path))
        try:
            with self._objects.explained():
                return parquet.read_schema(in_bucket(file), filesystem=self._objects.filesystem)
        except pa.ArrowInvalid as error:
            what, why = f"{file.path} is not a Parquet file", str(error)[:200]
            raise ForgeError("E210", what, where=self._where, why=why, fix="Replace it.") from error

    @contextmanager
    def _local(self, file: LoadedFile) -> Iterator[str]:
        """Where it can be read as a file."""
        if self._objects is None:
            yield str(self._root / file.path)
        else:
            with self._objects.copied(file) as copy:
                yield str(copy)

    @contextmanager
    def _beginning(self, file: LoadedFile) -> Iterator[Path]:
        if self._objects is None:
            yield self._root / file.path
        else:
            with self._objects.copied(file, _SAMPLE) as copy:
                yield copy

    def _changed_ns(self, file: LoadedFile) -> int:
        """When the file or its times were last written, which no program can set."""
        with suppress(OSError):  # who reads it will be told; of objects there is none
            return (self._root / file.path).stat().st_ctime_ns
        return 0

    def _paths(self, found: Sequence[LoadedFile]) -> list[str]:
        return [in_bucket(one) if self._objects is not None else str(self._root / one.path) for one in found]

    @property
    def _filesystem(self) -> Any:
        return self._objects.filesystem if self._objects is not None else None

    def _schema(self, found: Sequence[LoadedFile]) -> pa.Schema:
        import pyarrow as pa

        declared = pa.schema([(name, arrow_type(kind)) for name, kind in self._files.columns.items()])
        if self._files.columns:
            return declared
        if self._files.format != "parquet":
            raise self._unreadable("Its columns are not declared.", "Write `columns`, name by name with its type.")
        self._refuse_other_columns(found[:1])
        schema = self._parquet_schema(found[0])
        return pa.schema([(field.name, arrow_type(_spark_type(field.type))) for field in schema])

    def _rows(self, found: Sequence[LoadedFile]) -> int | None:
        """Of texts by the length of the first lines."""
        import pyarrow as pa
        import pyarrow.parquet as parquet

        if self._files.format != "parquet":
            return self._lines(found)
        with suppress(OSError, pa.ArrowInvalid):  # of one that is damaged, the read will tell
            return sum(
                int(parquet.read_metadata(path, filesystem=self._filesystem).num_rows) for path in self._paths(found)
            )
        return None

    def _lines(self, found: Sequence[LoadedFile]) -> int | None:
        size = sum(one.size for one in found)
        first = next((one for one in found if one.size), None)
        if first is None:
            return 0
        with suppress(OSError, ForgeError), self._beginning(first) as path, path.open("rb") as file:
            start = file.read(_SAMPLE)
            if start.startswith(_GZIP):  # about four times as long
                return round(size * 4 / (_CELL * max(len(self._files.columns), 1)))
            lines = start.count(b"\n") + (0 if start.endswith(b"\n") else 1)
            return max(round(size * lines / len(start)), 1)
        return None

    def _statistics(self, found: Sequence[LoadedFile]) -> Mapping[str, ColumnStatistics]:
        """The least and the greatest value of columns, and how many have none, where every file says so."""
        import pyarrow as pa
        import pyarrow.parquet as parquet

        if self._files.format != "parquet":
            return {}
        with suppress(OSError, pa.ArrowException):
            return _parquet_statistics(
                [parquet.read_metadata(path, filesystem=self._filesystem) for path in self._paths(found)]
            )
        return {}

    def _refuse_options(self) -> None:
        odd = [name for name in self._files.options if name.lower() not in _OPTIONS[self._files.format]]
        multiline = {name.lower(): str(value).lower() for name, value in self._files.options.items()}.get("multiline")
        if odd or (self._files.format == "json" and multiline == "true"):
            raise self._unreadable(
                f"Only Spark's own reader knows {', '.join(odd) or 'multiLine'}.",
                "Load the files by a source of the project, or leave the option out.",
            )

    def _unreadable(self, why: str, fix: str) -> ForgeError:
        return ForgeError("E206", f"{self._name} cannot be read where it is", where=self._where, why=why, fix=fix)

    def _batches(self, scan: Scan, schema: pa.Schema, most: int) -> Iterator[pa.RecordBatch | None]:
        import pyarrow as pa

        found = self._found()
        self._refuse_other_columns(found)
        read = {"parquet": self._parquet, "csv": self._csv, "json": self._json}[self._files.format]
        left = scan.limit
        with self._running.read(lambda: None) as running:
            yield None
            try:
                for batch in self._running.until_cancelled(running, read(found, scan, most)):
                    kept = batch if left is None else batch.slice(0, left)
                    left = None if left is None else left - kept.num_rows
                    if kept.num_rows:
                        yield typed(kept, scan, schema)
                    if left == 0:
                        return
            except (pa.ArrowException, OSError, EOFError, UnicodeError) as error:
                raise self._bad_rows(str(error), has_values=True) from error

    def _bad_rows(self, why: str, *, has_values: bool = False) -> ForgeError:
        """`has_values`: it may quote a row."""
        what, why = (
            f"Rows of {self._name} cannot be read as {self._files.format}",
            next(iter(why.splitlines()), "")[:200],
        )
        return CellError(
            "E210",
            what,
            without=what,
            where=self._where,
            why=why or None,
            why_without=None if has_values else why or None,
            fix="Correct the files, or the `columns` and `options` of the source.",
        )

    def _parquet(self, found: Sequence[LoadedFile], scan: Scan, most: int) -> Iterator[pa.RecordBatch]:
        import pyarrow.dataset as ds

        schema = self._schema(found)
        files = ds.dataset(self._paths(found), schema=schema, format="parquet", filesystem=self._filesystem)
        names = [spelled(name, schema) for name in scan.columns] or schema.names[:1]
        scanner = files.scanner(
            columns=names, filter=expression(scan.filters, schema), batch_size=min(most, 16_384), batch_readahead=2
        )
        yield from scanner.to_batches()

    def _csv(self, found: Sequence[LoadedFile], scan: Scan, most: int) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        from pyarrow import csv

        options = {name.lower(): value for name, value in (CSV_DEFAULTS | dict(self._files.options)).items()}
        names, schema = list(self._files.columns), self._schema(found)
        headed = options.get("header", "false").lower() == "true"
        reading = {"encoding": options.get("encoding", "utf-8"), "column_names": names, "skip_rows": int(headed)}
        parsing = csv.ParseOptions(
            delimiter=options.get("sep", options.get("delimiter", ",")).replace("\\t", "\t"),
            quote_char=options["quote"] or False,
            double_quote=options["escape"] == options["quote"],
            escape_char=False if options["escape"] == options["quote"] else options["escape"] or False,
            newlines_in_values=options["multiline"].lower() == "true",
        )
        texts = csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            strings_can_be_null=True,  # Spark reads an empty text, in quotes or not, as NULL
            null_values=[""],
        )
        for one in (one for one in found if one.size):
            with self._local(one) as path, csv.open_csv(path, csv.ReadOptions(**reading), parsing, texts) as reader:
                for batch in reader:
                    for start in range(0, batch.num_rows, most):
                        part = batch.slice(start, most)
                        arrays = [self._parsed(name, part[name], schema.field(name).type) for name in names]
                        yield chosen(pa.RecordBatch.from_arrays(arrays, schema=schema), scan)

    def _json(self, found: Sequence[LoadedFile], scan: Scan, most: int) -> Iterator[pa.RecordBatch]:
        schema = self._schema(found)
        for one in found:
            with self._local(one) as path:
                rows = self._objects_of(path, schema.names)
                for batch in batches_of(self._name, schema, rows, most, self._json_column):
                    if batch is not None:
                        yield chosen(batch, scan)

    def _objects_of(self, path: str, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        file = open_text(path, dict(self._files.options).get("encoding", "utf-8"))
        if file is None:
            raise self._unreadable("Only Spark's own reader knows this compression.", "Use gzip.")
        with file:
            for number, line in enumerate(lines_of(file, Path(path).name), 1):
                if not line.strip():
                    continue
                try:
                    row = parse_json(line)
                except ValueError as error:
                    raise self._bad_rows(f"Line {number} of {Path(path).name}: {error}") from error
                if not isinstance(row, dict):
                    raise self._bad_rows(f"Line {number} of {Path(path).name} is no object.")
                yield tuple(row.get(name) for name in names)

    def _json_column(self, source: str, column: str, cells: Sequence[Any], kind: pa.DataType) -> pa.Array:
        try:
            return json_array(source, column, cells, kind)
        except UnfitValueError as error:
            raise self._bad_rows(f"Column {column} holds another kind of value than {type_name(kind)}.") from error

    def _parsed(self, column: str, texts: Any, kind: pa.DataType) -> pa.Array:
        import pyarrow as pa

        cells = texts if isinstance(texts, pa.Array) else pa.array(texts, pa.string())
        try:
            return strict_array(self._name, column, cells, kind)
        except UnfitValueError as error:
            raise self._bad_rows(f"Column {column} holds a text that is no {type_name(kind)}.") from error


def _parquet_statistics(files: Sequence[Any]) -> dict[str, ColumnStatistics]:
    """Of columns with numbers and times."""
    groups = [one.row_group(place) for one in files for place in range(one.num_row_groups)]
    rows = sum(group.num_rows for group in groups)
    found: dict[str, ColumnStatistics] = {}
    for place in range(files[0].num_columns) if rows else ():
        name = files[0].schema.column(place).path
        parts = [group.column(place).statistics for group in groups if place < group.num_columns]
        if len(parts) < len(groups) or any(one is None or not one.has_null_count for one in parts):
            continue
        ends = [end for one in parts if one.has_min_max for end in (one.min, one.max)]
        nulls = sum(one.null_count for one in parts) / rows
        bounds = bounds_of(ends)
        found[name] = ColumnStatistics(None, nulls, (bounds[0], bounds[-1]) if bounds else ())
    return found


def _spark_type(kind: pa.DataType) -> str:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _spark_type(kind.value_type)
    return _WIDER.get(str(kind)) or type_name(kind)
