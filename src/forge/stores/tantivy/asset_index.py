"""The search index in a folder, by tantivy: no server, many readers, one writer at a time."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from forge.catalog.search.document import SearchDocument
from forge.catalog.search.page import CatalogHit, SearchPage
from forge.catalog.search.query import SearchQuery
from forge.catalog.search.stages import search_stages, suggest_names
from forge.flows.catalog.search.ports import IndexBatch
from forge.model.errors import ForgeError
from forge.stores.tantivy.reader import TantivyReader
from forge.stores.tantivy.schema import ID, STATE, STATE_ID, VERSION, make_schema, tantivy_document

if TYPE_CHECKING:
    from tantivy import Index, IndexWriter, Searcher

_HEAP = 64_000_000
_REBUILD_HEAP = 256_000_000


class TantivyAssetIndex:
    """The position in the log of changes is a document of the index itself, so it is committed with the others. The
    writer is opened for one batch and closed again: whoever comes second reads what is there."""

    def __init__(self, folder: Path, *, heap: int = _HEAP, rebuild_heap: int = _REBUILD_HEAP) -> None:
        self._folder, self._heap, self._rebuild_heap = folder / f"v{VERSION}", heap, rebuild_heap
        self._lock = threading.RLock()
        self._index: Index | None = None
        self._reader: TantivyReader | None = None
        self._position: int | None = None
        self._head = ""
        self._seen: tuple[int, int, int] | None = None

    def cursor(self) -> int | None:
        self._read()
        return self._position

    def head(self) -> str:
        self._read()
        return self._head

    def apply(self, batch: IndexBatch) -> bool:
        with self._lock:
            writer = self._writer(self._heap)
            if writer is None:
                return False
            try:
                reader = self._read()
                if self._position != batch.after:
                    return False
                index = self._open()
                for removed in (*batch.removed, *(document.id for document in batch.documents)):
                    writer.delete_documents_by_term(ID, removed)
                head = self._head if batch.head is None else batch.head
                self._write(writer, index, batch.documents, (batch.cursor, head, reader.generation + 1))
            finally:
                _release(writer)
            return True

    def rebuild(self, documents: Iterable[SearchDocument], cursor: int, head: str = "") -> bool:
        with self._lock:
            writer = self._writer(self._rebuild_heap)
            if writer is None:
                return False
            try:
                generation = self._read().generation
                writer.delete_all_documents()
                self._write(writer, self._open(), documents, (cursor, head, generation + 1))
            finally:
                _release(writer)
            return True

    def search(self, query: SearchQuery) -> SearchPage:
        return search_stages(self._read(), query)

    def suggest(self, prefix: str, limit: int) -> tuple[CatalogHit, ...]:
        return suggest_names(self._read(), prefix, limit)

    def close(self) -> None:
        with self._lock:
            self._index = self._reader = None

    def _open(self) -> Index:
        """A folder that cannot be read is replaced: nothing in it is lost, for it is rebuilt from the records."""
        from tantivy import Index

        with self._lock:
            if self._index is None:
                try:
                    self._folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                    self._folder.mkdir(exist_ok=True, mode=0o700)
                    try:
                        self._index = Index(make_schema(), str(self._folder))
                    except ValueError:
                        shutil.rmtree(self._folder)
                        self._folder.mkdir(mode=0o700)
                        self._index = Index(make_schema(), str(self._folder))
                except OSError as error:
                    raise self._unwritable(error) from error
                self._index.config_reader("manual")
            return self._index

    def _read(self) -> TantivyReader:
        """The newest state. Files are looked at again, so that what other processes wrote is seen."""
        with self._lock:
            index = self._open()
            seen = self._signature()
            if self._reader is not None and seen == self._seen:
                return self._reader
            index.reload()
            searcher, self._seen = index.searcher(), seen
            cursor, head, generation = _state_of(index, searcher)
            if self._reader is None or self._reader.generation != generation or self._position != cursor:
                self._reader, self._position, self._head = TantivyReader(index, searcher, generation), cursor, head
            return self._reader

    def _signature(self) -> tuple[int, int, int] | None:
        """Of the file that every commit, of any process, replaces."""
        try:
            found = (self._folder / "meta.json").stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def _writer(self, heap: int) -> IndexWriter | None:
        """None: someone else is writing."""
        try:
            return self._open().writer(heap, 1 if heap <= _HEAP else 2)
        except ValueError as error:
            if "LockBusy" in str(error):
                return None
            raise self._unwritable(error) from error

    def _unwritable(self, error: Exception) -> ForgeError:
        return ForgeError("E408", f"The search index cannot be written: {error}", where=str(self._folder))

    def _write(
        self, writer: IndexWriter, index: Index, documents: Iterable[SearchDocument], state: tuple[int, str, int]
    ) -> None:
        from tantivy import Document

        schema = index.schema
        for document in documents:
            writer.add_document(tantivy_document(document, schema))
        writer.delete_documents_by_term(ID, STATE_ID)
        state_text = json.dumps(dict(zip(("cursor", "head", "generation"), state, strict=True)))
        writer.add_document(Document.from_dict({ID: STATE_ID, STATE: state_text}, schema))
        writer.commit()


def _release(writer: IndexWriter) -> None:
    """What was not committed is dropped, and the lock is free for others."""
    try:
        writer.rollback()
    finally:
        writer.wait_merging_threads()


def _state_of(index: Index, searcher: Searcher) -> tuple[int | None, str, int]:
    from tantivy import Query

    hits = searcher.search(Query.term_query(index.schema, ID, STATE_ID, "basic"), 1, count=False).hits
    if not hits:
        return None, "", 0
    state = json.loads(str(searcher.doc(hits[0][1])[STATE][0]))
    return int(state["cursor"]), str(state["head"]), int(state["generation"])
