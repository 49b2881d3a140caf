"""Decisions of people about findings."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from forge.catalog.pii.review import PiiRecord, ReviewState, review
from forge.flows.catalog.pii.ports import PiiFindings
from forge.flows.catalog.pii.scan import changed_meanwhile, tell_change
from forge.flows.runs.records import AuditRecord
from forge.model.errors import ForgeError
from forge.model.time import Clock

if TYPE_CHECKING:
    from forge.flows.catalog.pii.ports import OnChange

LONGEST_NOTE = 2000  # characters
_log = logging.getLogger("forge.catalog")


@dataclass(frozen=True, slots=True)
class ReviewPorts:
    """`follow` carries what a decision changes along lineage."""

    findings: PiiFindings
    clock: Clock
    actor: str
    follow: Callable[[], object]
    on_change: OnChange = lambda tables: None


def find_finding(store: PiiFindings, finding_id: str) -> PiiRecord:
    found = store.finding(finding_id)
    if found is None:
        raise ForgeError("E870", f"There is no finding '{finding_id}'", fix="`forge pii list` lists them.")
    return found


def review_finding(
    finding_id: str, state: ReviewState, ports: ReviewPorts, *, note: str | None = None, expected: int | None = None
) -> PiiRecord:
    """`expected`: the version that the reviewer saw. E871 where it is another one now."""
    if note is not None and (len(note) > LONGEST_NOTE or "\x00" in note):
        raise ForgeError("E105", f"A note is text of at most {LONGEST_NOTE} characters", fix="Write a shorter one.")
    record = find_finding(ports.findings, finding_id)
    if expected is not None and expected != record.version:
        raise changed_meanwhile(f"Finding {finding_id}")
    at = ports.clock()
    decided = review(record, state, note, ports.actor, at)
    subject = f"{record.table}.{record.column}"
    audit = AuditRecord(at, ports.actor, f"pii.{state}", subject, {"finding": record.id, "type": record.type})
    if not ports.findings.save([decided], None, audit):
        raise changed_meanwhile(f"Finding {finding_id}")
    tell_change([decided], ports.on_change)
    try:
        ports.follow()
    except ForgeError as error:  # the decision holds; the next scan follows it
        _log.warning("what finding %s changes along lineage is not recorded yet: %s", finding_id, error.line)
    return decided
