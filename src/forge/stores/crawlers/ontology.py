"""The ontology of the project as a source: each type of `ontology/*.yaml` is an asset, backed by tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from forge.catalog.asset import CrawledAsset
from forge.catalog.crawl import CrawlMark, Sighting
from forge.catalog.ontology import ONTOLOGY, OntologyFile, find_loose_links, load_ontology
from forge.model.errors import ForgeError, raise_errors
from forge.stores.crawlers.digests import digest_of, find_unmoved, with_digest

_LARGEST = 10_000_000


class OntologyCrawler:
    source = ONTOLOGY

    def __init__(self, root: Path) -> None:
        self._root = root

    def sightings(self, known: Mapping[str, CrawlMark]) -> Iterable[Sighting]:
        paths = {path.relative_to(self._root).as_posix(): path for path in ontology_files(self._root)}
        texts = {name: _read(path, name) for name, path in paths.items()}
        digest = digest_of(str(part).encode(errors="surrogateescape") for file in texts.items() for part in file)
        return find_unmoved(known, digest) or with_digest(_find_assets(texts), digest)


def _find_assets(texts: Mapping[str, str | ForgeError]) -> list[CrawledAsset]:
    """All errors of its files at once: what is wrong in one may be what another links to."""
    files = {
        name: OntologyFile(errors=(text,)) if isinstance(text, ForgeError) else load_ontology(text, name)
        for name, text in texts.items()
    }
    raise_errors((*(error for one in files.values() for error in one.errors), *find_loose_links(files)))
    seen: dict[str, str] = {}
    for file, one in files.items():
        for asset in one.assets:
            if asset.qualified_name in seen:
                what = f"{asset.qualified_name.partition(':')[2]} is described in two files"
                raise ForgeError("E103", what, where=file, why=f"The other is {seen[asset.qualified_name]}.")
            seen[asset.qualified_name] = file
    return [asset for one in files.values() for asset in one.assets]


def ontology_files(root: Path) -> tuple[Path, ...]:
    return tuple(sorted(path for path in (root / ONTOLOGY).glob("*.y*ml") if path.suffix in (".yaml", ".yml")))


def _read(path: Path, name: str) -> str | ForgeError:
    try:
        if path.stat().st_size > _LARGEST:
            return ForgeError("E103", "A file of the ontology is larger than 10 MB", where=name)
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        return ForgeError("E103", "A file of the ontology cannot be read", where=name, why=reason)
