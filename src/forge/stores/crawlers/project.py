"""The project as a source: its transforms as pipelines, and the files that its sources read as datasets."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from forge.catalog.asset import AssetType, CrawledAsset, CrawledColumn
from forge.catalog.crawl import CrawlMark, SeenAsset, Sighting, UnreadAsset
from forge.flows.runs.project import Project
from forge.transforms.transform import FileSource, Transform

PROJECT, FILES = "project", "files"


class ProjectCrawler:
    """A pipeline is known again by the table that it makes, whatever file it moves to."""

    source = PROJECT

    def __init__(self, project: Callable[[], Project], name: str) -> None:
        self._project, self._name = project, name

    def sightings(self, known: Mapping[str, CrawlMark]) -> Iterator[Sighting]:
        project = self._project()
        for transform in project.transforms.values():
            yield SeenAsset(self._pipeline(transform, project))
        yield from _hidden(project, known, {f"forge:{self._name}.{table}" for table in project.transforms})

    def _pipeline(self, transform: Transform, project: Project) -> CrawledAsset:
        return CrawledAsset(
            qualified_name=f"forge:{self._name}.{transform.output}",
            type=AssetType.PIPELINE,
            source=PROJECT,
            system="forge",
            location=transform.file,
            description=transform.description,
            owner=project.owner(transform.output),
            tags=transform.tags,
            backed_by=(str(transform.output), *map(str, transform.inputs)),
        )


class FileCrawler:
    """Files of sources, by the path that their declaration names. They are listed, never opened."""

    source = FILES

    def __init__(self, project: Callable[[], Project]) -> None:
        self._project = project

    def sightings(self, known: Mapping[str, CrawlMark]) -> Iterator[Sighting]:
        project = self._project()
        bodies = [one for one in project.transforms.values() if isinstance(one.body, FileSource)]
        for transform in bodies:
            assert isinstance(transform.body, FileSource)
            yield _dataset(transform, transform.body, project)
        paths = {one.body.path for one in bodies if isinstance(one.body, FileSource)}
        yield from _hidden(project, known, {f"files:{path}" for path in paths})


def _hidden(project: Project, known: Iterable[str], seen: set[str]) -> Iterator[UnreadAsset]:
    """Where a file of the project cannot be read, what is missing may be in it, and has not vanished."""
    if project.faults:
        reason = f"{project.faults[0].file or 'a file of the project'} cannot be read"
        yield from (UnreadAsset(name, reason) for name in known if name not in seen)


def _dataset(transform: Transform, body: FileSource, project: Project) -> Sighting:
    name = f"files:{body.path}"
    try:
        files = list(_find(body, project.root))
    except OSError as error:
        return UnreadAsset(name, error.strerror or str(error))
    newest = max((state.st_mtime for state in files), default=None)
    return SeenAsset(
        CrawledAsset(
            qualified_name=name,
            type=AssetType.DATASET,
            source=FILES,
            system=body.format,
            location=body.path,
            description=transform.description,
            owner=project.owner(transform.output),
            tags=transform.tags,
            columns=tuple(CrawledColumn(column, kind) for column, kind in body.columns.items()),
            backed_by=(str(transform.output),),
            size_bytes=sum(state.st_size for state in files) if files else None,
            updated_at=datetime.fromtimestamp(newest, UTC) if newest is not None else None,
        )
    )


def _find(body: FileSource, root: Path) -> Iterator[os.stat_result]:
    """None of an object store, which is not listed."""
    if "://" in body.path:
        return
    pattern = str(root / body.path)
    if os.path.isdir(pattern):
        pattern = os.path.join(pattern, "**", "*" if body.format == "parquet" else f"*.{body.format}*")
    for path in glob.iglob(pattern, recursive=True):
        if os.path.isfile(path) and not os.path.basename(path).startswith(("_", ".")):
            yield os.stat(path)
