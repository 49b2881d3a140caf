"""Delta tables that Spark reads by itself: the files of the very version that was planned, each looked at first.

Delta's own extension of SQL is left out: it would teach the session statements and functions that nobody here asks
for. What reading needs of it is one planner strategy, by which rows that are marked as deleted are left out; without it
they would come back. So these rows exist in the session of judged queries alone, which has it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from py4j.java_gateway import JavaPackage
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import DoubleType, FloatType

from forge.engines.spark.errors import SPARK_ERRORS
from forge.engines.spark.frames import quote
from forge.engines.spark.gate import SqlGate
from forge.federation.delta_version import DeltaVersion, own_file
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.engines.spark.gate.session import IsolatedSession

_SETTINGS = {
    # Delta asks for its catalog and its extension, of which reading needs nothing but what is set here.
    "spark.databricks.delta.requiredSparkConfsCheck.enabled": "false",
    # The versions of the log are what the checks of the log have read, too.
    "spark.databricks.delta.deltaLog.minorCompaction.useForReads": "false",
    # Else the log of the smallest table is read by fifty tasks.
    "spark.databricks.delta.snapshotPartitions": "4",
    # By the bounds of a file Parquet leaves out floats too many, NaN and -0.0: those in structs it is not asked about.
    "spark.sql.optimizer.nestedPredicatePushdown.supportedFileSources": "",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
}
# In the errors of Spark, what of a table could not be read.
_UNREAD = {
    "DELTA_": "Delta's reader refuses the log",
    "FileNotFoundException": "One that the log names is gone",
    "FILE_NOT_EXIST": "One that the log names is gone",
    "FAILED_READ_FILE": "One of them is damaged, or no Parquet",
}
_UUID_LETTERS = 20  # of the name of a file of deletion vectors; what stands before is its folder
_lock = threading.Lock()


def delta_frame(gate: SqlGate, delta: DeltaVersion, source: str, refuse: Callable[[Path], None]) -> DataFrame:
    """All rows of the version, by the names that its schema has. `refuse`: a file that the source may not read."""
    apart = gate.apart
    _prepare(apart, source)
    with _active(apart):
        logs = apart.jvm.org.apache.spark.sql.delta.DeltaLog
        path = apart.jvm.org.apache.hadoop.fs.Path(f"file:{delta.folder}")
        logs.invalidateCache(apart.java, path)  # another table may be in its place, with as many versions
        log = logs.forTable(apart.java, path)
        none = apart.jvm.scala.Option.empty()
        snapshot = log.getSnapshotAt(delta.version, none, none, False)
        _refuse_other(snapshot, delta, source)
        files = _checked_files(apart, snapshot, Path(delta.folder), source, refuse)
        return _exact_floats(DataFrame(log.createDataFrame(snapshot, files, False, none), apart.session))


@contextmanager
def delta_explained(sources: Iterable[str]) -> Iterator[None]:
    """E210 for what Spark cannot read of these, without the places of files, which are not for every reader."""
    names = ", ".join(dict.fromkeys(sources))
    try:
        yield
    except SPARK_ERRORS as error:
        found = next((sign for sign in _UNREAD if sign in str(error)), None)
        if not names or found is None:
            raise
        fix = "Repair the table, or name an older version of it."
        raise ForgeError("E210", f"Files of {names} cannot be read", why=f"{_UNREAD[found]}.", fix=fix) from error


def _prepare(apart: IsolatedSession, source: str) -> None:
    """The session reads Delta from now on."""
    strategy = apart.jvm.org.apache.spark.sql.delta.PreprocessTableWithDVsStrategy
    if isinstance(strategy, JavaPackage):
        fix = "Add io.delta:delta-spark_4.1_2.13:4.1.0 and delta-storage to `spark.jars`, or leave that out."
        raise _unreadable(source, "This Spark has no reader of Delta Lake.", fix)
    with _lock:
        experimental = apart.java.experimental()
        if experimental.extraStrategies().isEmpty():
            for name, value in _SETTINGS.items():
                apart.java.conf().set(name, value)
            strategies = apart.jvm.java.util.ArrayList()
            strategies.add(strategy(apart.java))
            seq = apart.jvm.scala.jdk.javaapi.CollectionConverters.asScala(strategies).toSeq()
            getattr(experimental, "extraStrategies_$eq")(seq)


@contextmanager
def _active(apart: IsolatedSession) -> Iterator[None]:
    """Delta takes its settings from the session of the thread."""
    sessions = apart.jvm.org.apache.spark.sql.SparkSession
    before = sessions.getActiveSession()
    sessions.setActiveSession(apart.java)
    try:
        yield
    finally:
        if before.isDefined():
            sessions.setActiveSession(before.get())
        else:
            sessions.clearActiveSession()


def _refuse_other(snapshot: Any, delta: DeltaVersion, source: str) -> None:
    """Options of a log would become settings of Hadoop."""
    metadata = snapshot.metadata()
    if metadata.id() != delta.table or snapshot.version() != delta.version:
        raise _unreadable(source, "Another table has taken its place.", "Ask again.")
    if metadata.format().provider() != "parquet" or not metadata.format().options().isEmpty():
        raise _unreadable(source, "Its log asks for another format, or for options of it.", "Export it.")


def _checked_files(
    apart: IsolatedSession, snapshot: Any, folder: Path, source: str, refuse: Callable[[Path], None]
) -> Any:
    """The files that are read: these, whatever the log says a moment later."""
    added = snapshot.allFiles()
    found = added.collectAsList()
    seq = apart.jvm.scala.jdk.javaapi.CollectionConverters.asScala(found).toSeq()
    listed = DataFrame(apart.java.createDataset(seq, added.encoder()).toDF(), apart.session)
    vector = "deletionVector"
    names = listed.select("path", f.col(f"{vector}.storageType"), f.col(f"{vector}.pathOrInlineDv")).toArrow()
    for path, storage, place in zip(*(column.to_pylist() for column in names.columns), strict=True):
        inside = own_file(path)
        if inside is None or not _is_own_vector(storage, place):
            why = "Its log names a file that is not its own, as a shallow clone does."
            raise _unreadable(source, why, "Copy the table whole.")
        refuse(folder / inside)
        if storage == "u" and len(place) > _UUID_LETTERS:
            refuse(folder / place[:-_UUID_LETTERS])
    return seq


def _is_own_vector(storage: str | None, place: str | None) -> bool:
    """Within the log, or in a file of the table's folder; any other is named by a path."""
    if storage is None or storage == "i":
        return True
    if storage != "u" or place is None:
        return False
    folder = place[:-_UUID_LETTERS]
    return not folder or own_file(folder) is not None


def _exact_floats(frame: DataFrame) -> DataFrame:
    """Compared by nobody but Spark: a condition on what is computed is not handed to Parquet."""
    return frame.select(
        *(
            f.nanvl(f.col(quote(one.name)), f.lit(float("nan")).cast(one.dataType)).alias(one.name)
            if isinstance(one.dataType, DoubleType | FloatType)
            else f.col(quote(one.name))
            for one in frame.schema
        )
    )


def _unreadable(source: str, why: str, fix: str) -> ForgeError:
    return ForgeError("E206", f"{source} cannot be read where it is", where=source, why=why, fix=fix)
