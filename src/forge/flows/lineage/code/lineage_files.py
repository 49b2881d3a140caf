"""Files of a codebase that contain lineage itself: declarations, OpenLineage events, graph exports."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from forge.flows.lineage.code.records import SourceGap, SourceRecord
from forge.flows.lineage.declarations import record_declared
from forge.flows.lineage.openlineage.file import events_in
from forge.flows.lineage.openlineage.ingest import OpenLineagePorts, ingest_events
from forge.model.errors import ForgeError, errors_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from forge.flows.lineage.code.files import Codebase
    from forge.flows.lineage.code.ports import IngestPorts


def record_lineage_files(
    ports: IngestPorts, root: str, code: Codebase, changed: Mapping[str, str]
) -> tuple[SourceRecord, ...]:
    """Records files that contain lineage: declared edges, OpenLineage events, graph exports."""
    at = ports.lineage.clock()
    found = []
    for path, digest in sorted(changed.items()):
        record = SourceRecord(root=root, path=path, language="", digest=digest, read_at=at)
        if path in code.declared:
            found.append(_take_declared(ports, code.declared[path], record))
        elif path in code.events and ports.events is not None:
            found.append(_take_events(ports.events, code.events[path], record))
        elif path in code.exports:
            found.append(_take_export(ports, code.exports[path], record))
    return tuple(found)


def _take_declared(ports: IngestPorts, text: str, record: SourceRecord) -> SourceRecord:
    """Nothing of a file with a fault is taken; each fault is a gap."""
    try:
        done = record_declared(ports.lineage, {record.id: text})
    except ForgeError as error:
        gaps = tuple(_gap_of(one) for one in errors_of(error))
        return replace(record, language="yaml", statements=len(gaps), gaps=gaps)
    gaps = tuple(SourceGap(gap.line, gap.reason) for gap in done.unknown)
    return replace(record, language="yaml", statements=done.edges, understood=done.edges, edges=done.edges, gaps=gaps)


def _gap_of(error: ForgeError) -> SourceGap:
    line = re.search(r":(\d+)(?::\d+)?$", error.where or "")
    return SourceGap(int(line[1]) if line else 0, " ".join(filter(None, (error.what, error.why))))


def _take_events(events: OpenLineagePorts, text: str, record: SourceRecord) -> SourceRecord:
    """One in each line, or one, or a list."""
    found = events_in(text)
    gaps = [SourceGap(line, reason) for line, reason in found.broken]
    for answer in ingest_events(events, [one for _, one in found.events]):
        if answer.error is not None:
            gaps.append(SourceGap(found.events[answer.index][0], f"{answer.error.what} ({answer.error.where})"))
    count = len(found.events) + len(found.broken)
    understood = max(count - len(gaps), 0)
    return replace(record, language="openlineage", statements=count, understood=understood, gaps=tuple(gaps))


def _take_export(ports: IngestPorts, text: str, record: SourceRecord) -> SourceRecord:
    from forge.lineage.exchange import import_export

    try:
        done = import_export(ports.lineage.store, text.splitlines())
    except ForgeError as error:
        return replace(record, language="export", statements=1, gaps=(SourceGap(0, f"{error.what} ({error.where})"),))
    return replace(record, language="export", statements=1, understood=1, edges=done.recorded.added)
