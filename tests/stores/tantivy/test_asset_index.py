"""The index in a folder: other processes, a broken folder, rights."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from forge.catalog.search.document import DocumentType, SearchDocument
from forge.catalog.search.query import SearchQuery
from forge.flows.catalog.search.ports import IndexBatch
from forge.model.errors import ForgeError
from forge.stores.tantivy.asset_index import TantivyAssetIndex


def document(name: str) -> SearchDocument:
    return SearchDocument(id=name, type=DocumentType.TABLE, name=name, qualified_name=name)


def found(index: TantivyAssetIndex) -> list[str]:
    return [hit.id for hit in index.search(SearchQuery()).hits]


WRITER = """
import sys, tantivy
index = tantivy.Index.open(sys.argv[1])
writer = index.writer(15_000_000, 1)
print("writing", flush=True)
sys.stdin.readline()
writer.rollback()
writer.wait_merging_threads()
"""


@pytest.mark.slow
def test_while_another_process_writes_what_is_there_is_read(tmp_path: Path) -> None:
    index = TantivyAssetIndex(tmp_path / "search")
    assert index.rebuild([document("a")], 1)
    command = [sys.executable, "-c", WRITER, str(next((tmp_path / "search").iterdir()))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "writing\n"
        assert not index.apply(IndexBatch(1, 2, (document("b"),)))
        assert not index.rebuild([document("b")], 2)
        assert (index.cursor(), found(index)) == (1, ["a"])
        other.communicate("\n")
    assert index.apply(IndexBatch(1, 2, (document("b"),)))
    assert found(index) == ["a", "b"]


def test_what_another_process_wrote_is_seen_at_once(tmp_path: Path) -> None:
    one, other = TantivyAssetIndex(tmp_path / "search"), TantivyAssetIndex(tmp_path / "search")
    assert one.rebuild([document("a")], 1)
    assert found(other) == ["a"]
    assert other.apply(IndexBatch(1, 2, (document("b"),)))
    assert (one.cursor(), found(one)) == (2, ["a", "b"])


def test_the_folder_is_private(tmp_path: Path) -> None:
    TantivyAssetIndex(tmp_path / "search").rebuild((), 1)
    for folder in (tmp_path / "search", *(tmp_path / "search").iterdir()):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_folder_that_cannot_be_read_is_made_anew(tmp_path: Path) -> None:
    index = TantivyAssetIndex(tmp_path / "search")
    index.rebuild([document("a")], 1)
    index.close()
    (next((tmp_path / "search").iterdir()) / "meta.json").write_text("{}")
    again = TantivyAssetIndex(tmp_path / "search")
    assert again.cursor() is None
    assert again.rebuild([document("b")], 2)
    assert found(again) == ["b"]


def test_a_place_that_is_no_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "search").write_text("a file")
    with pytest.raises(ForgeError) as caught:
        TantivyAssetIndex(tmp_path / "search").cursor()
    assert caught.value.code == "E408"
