"""Links and hidden folders below the path of a source that was created over HTTP."""

from __future__ import annotations

from pathlib import Path

import pytest

from forge.federation.limits import SourceLimits
from forge.federation.source import ConnectorKind, Source
from forge.flows.federation.source_paths import FileGuard, refuse_outside
from forge.model.errors import ForgeError


def judge(root: Path, path: str, *folders: str) -> str | None:
    source = Source("mine", ConnectorKind.FILES, path=path, format="csv")
    told = ""
    try:
        limits = SourceLimits(folders=folders or ("data",))
        refuse_outside(source, root, FileGuard.of(source, root, limits, (root / ".forge", root / "lake")))
    except ForgeError as error:
        told, code = str(error), error.code
    assert str(root) not in told
    return code if told else None


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    for file in ("data/in/a.csv", "data/b.csv", ".forge/forge.db", "lake/t/x.parquet", "private/p.csv", "data/.git/c"):
        path = root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    (tmp_path / "outside.csv").write_text("x")
    return root


def test_files_of_the_folders_are_read(root: Path) -> None:
    for path in ("data", "data/*.csv", "data/in/a.csv", "data/**/*.csv", "data/not-there.csv"):
        assert judge(root, path) is None
    (root / "data" / "same.csv").symlink_to(root / "data" / "b.csv")
    assert judge(root, "data/*.csv") is None


@pytest.mark.parametrize("target", ["../outside.csv", "private/p.csv", ".forge/forge.db", "lake/t", "..", "data/.git"])
def test_a_link_out_of_them_is_refused_wherever_it_is(root: Path, target: str) -> None:
    (root / "data" / "in" / "link.csv").symlink_to(root / target)
    for path in ("data", "data/**/*.csv", "data/in/link.csv", "data/in"):
        assert judge(root, path) == "E886"
    assert judge(root, "data/b.csv") is None


def test_the_files_of_the_lake_and_of_forge_are_never_read(root: Path) -> None:
    assert judge(root, "lake/t/x.parquet", ".") == "E886"
    assert judge(root, ".forge/forge.db", ".") == "E886"
    assert judge(root, "*/*", ".") == "E886"
    assert judge(root, "private/*", ".") is None
    assert judge(root, "private/*") == "E886"
