"""A project whose lineage has something of everything: seen by runs, declared, indirect, masked, not sure. No JVM.

files:data/*.csv.amount → raw.orders.amount → marts.revenue.revenue → dashboard:revenue     (the last declared)
                                raw.orders.status ─filter→ marts.revenue
                          raw.orders.amount → marts.guess.value                          (0.3: hidden by default)
core.people.mail → marts.contacts.mail_hash                                              (masked)
core.people.mail → marts.contacts.mail_length → core.people.score → …                    (a circle of two tables)
"""

from __future__ import annotations

from forge.connection import ProjectLineage
from forge.wiring import Wiring

NODES = (
    "column:raw.orders.status",
    "column:marts.guess.value",
    "column:core.people.mail",
    "column:core.people.score",
    "column:marts.contacts.mail_hash",
    "column:marts.contacts.mail_length",
    {"id": "dashboard:revenue", "owner": "board@example.com"},
)


def declare_lineage(wiring: Wiring) -> None:
    """What no run of the recorded history has seen."""
    view = ProjectLineage(wiring, wiring.default_branch)
    view.record("marts.revenue.revenue", "dashboard:revenue", type="consumes", nodes=NODES, reason="the board's page")
    view.record("raw.orders.status", "marts.revenue", indirect="filter")
    view.record("raw.orders.amount", "marts.guess.value", confidence=0.3, transformation="transformation")
    mail = "core.people.mail"
    view.record(
        mail, "marts.contacts.mail_hash", masking=True, transformation="expression", expression="sha2(mail, 256)"
    )
    view.record(mail, "marts.contacts.mail_length", transformation="transformation", expression="length(mail)")
    view.record("marts.contacts.mail_length", "core.people.score", transformation="identity")
    view.record("core.people.score", "marts.contacts.mail_length", transformation="identity")
