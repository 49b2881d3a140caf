"""The ontology of the project as a source: each type of `ontology/*.yaml` is an asset, backed by tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from forge.catalog.crawl import CrawlMark, SeenAsset, Sighting
from forge.catalog.ontology import ONTOLOGY, OntologyFile, find_loose_links, load_ontology
from forge.model.errors import ForgeError, raise_errors

_LARGEST = 10_000_000


class OntologyCrawler:
    source = ONTOLOGY

    def __init__(self, root: Path) -> None:
        self._root = root

    def sightings(self, known: Mapping[str, CrawlMark]) -> Iterator[Sighting]:
        """All errors of its files at once: what is wrong in one may be what another links to."""
        files = {
            path.relative_to(self._root).as_posix(): _read(path, self._root) for path in ontology_files(self._root)
        }
        raise_errors((*(error for one in files.values() for error in one.errors), *find_loose_links(files)))
        seen: dict[str, str] = {}
        for file, one in files.items():
            for asset in one.assets:
                if asset.qualified_name in seen:
                    what = f"{asset.qualified_name.partition(':')[2]} is described in two files"
                    raise ForgeError("E103", what, where=file, why=f"The other is {seen[asset.qualified_name]}.")
                seen[asset.qualified_name] = file
                yield SeenAsset(asset)


def ontology_files(root: Path) -> tuple[Path, ...]:
    return tuple(sorted(path for path in (root / ONTOLOGY).glob("*.y*ml") if path.suffix in (".yaml", ".yml")))


def _read(path: Path, root: Path) -> OntologyFile:
    name = path.relative_to(root).as_posix()
    try:
        if path.stat().st_size > _LARGEST:
            raise ForgeError("E103", "A file of the ontology is larger than 10 MB", where=name)
        return load_ontology(path.read_text(encoding="utf-8"), name)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        return OntologyFile(
            errors=(ForgeError("E103", "A file of the ontology cannot be read", where=name, why=reason),)
        )
