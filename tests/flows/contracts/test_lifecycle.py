"""A contract goes on in its life: its consumers are told, and once it is retired nobody begins to read its tables."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from alert_world import AlertWorld
from committed_lineage import BEGIN, CommittedLineage, edge
from store_records import run_record

from forge.contracts.lifecycle import ContractState
from forge.contracts.load import load_contract
from forge.contracts.policy.governance import Enforcement, Governance
from forge.flows.contracts.admission import admit
from forge.flows.contracts.consumers import find_consumers
from forge.flows.contracts.lifecycle import change_state, find_new_readers, retired_tables
from forge.flows.contracts.ports import ContractPorts
from forge.flows.contracts.registration import RegistrationResult, register
from forge.flows.quality.incidents.ports import AlertPorts
from forge.flows.runs.records import OutputRecord, OutputStatus, TableLineage
from forge.lineage.edge import TableEdge
from forge.model.errors import ForgeError
from forge.model.names import CatalogName, SnapshotId, TableName
from forge.quality.alerts.alert import AlertPolicy
from forge.quality.alerts.notice import NoticeKind
from forge.stores.memory.contracts import MemoryContracts
from forge.transforms.transform import SqlQuery, Transform
from forge.versioning.commit import TableVersion

TEXT = """\
apiVersion: v3.1.0
kind: DataContract
id: urn:orders
name: orders
version: 1.0.0
status: active
schema:
  - name: core.orders
    properties:
      - {name: id, logicalType: integer}
      - {name: amount, logicalType: number}
"""
OWNERS = {"marts": "fin@example.com", "core": "ada@example.com"}


class Alerts:
    """Channels of which one hears of runs."""

    def __init__(self, policy: AlertPolicy) -> None:
        self.world = AlertWorld()
        self.world.channels = {"ops": self.world.ops, "mail": self.world.ops}
        self.policy = policy

    def __call__(self) -> AlertPorts:
        return replace(self.world.ports, runs=self.policy)


class World:
    def __init__(self, root: Path) -> None:
        self.lineage = CommittedLineage()
        self.store = MemoryContracts()
        self.root = root
        self.lineage.commit(
            {
                "core.orders": (),
                "marts.revenue": (edge("core.orders.amount", "marts.revenue.total"),),
                "marts.yearly": (edge("marts.revenue.total", "marts.yearly.total"),),
                "marts.apart": (TableEdge("raw.else", "marts.apart"),),
            }
        )

    def ports(self, now: datetime = BEGIN, alerts: Alerts | None = None) -> ContractPorts:
        def no_lake() -> object:
            raise AssertionError("the lake is not asked")

        return ContractPorts(
            store=self.store,
            root=self.root,
            clock=lambda: now,
            actor="ada@example.com",
            metadata=self.lineage.metadata,
            lake=no_lake,  # type: ignore[arg-type]
            governance=Governance(enforcement=Enforcement.WARN),
            owner=lambda table: OWNERS.get(table.schema),
            lineage=lambda: self.lineage.ports,
            alerts=alerts or (lambda: None),
        )

    def register(self, text: str = TEXT, alerts: Alerts | None = None) -> RegistrationResult:
        contract = load_contract(text, "contracts/orders.odcs.yaml")
        return register(contract, self.ports(alerts=alerts), text=text)


@pytest.fixture
def lifecycle_world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_consumers_are_all_tables_that_stem_from_it_nearest_first_with_what_they_use(lifecycle_world: World) -> None:
    found = find_consumers(
        lifecycle_world.lineage.ports, {"core.orders": ["id", "amount"]}, owner=lambda table: OWNERS.get(table.schema)
    )
    assert [(one.name, one.depth, one.owner, one.columns) for one in found] == [
        ("marts.revenue", 1, "fin@example.com", ("core.orders.amount",)),
        ("marts.yearly", 2, "fin@example.com", ("core.orders.amount",)),
    ]
    assert find_consumers(lifecycle_world.lineage.ports, {"core.unheard": ["x"]}) == ()


def test_registering_is_idempotent_and_keeps_the_text(lifecycle_world: World) -> None:
    first = lifecycle_world.register()
    again = lifecycle_world.register(TEXT.replace("\nkind", "\n# a remark\nkind"))
    assert (first.created, again.created) == (True, False)
    assert again.registered == first.registered
    assert again.registered.text == TEXT
    assert again.registered.schema_hash.startswith("sha256:")
    with pytest.raises(ForgeError) as refused:
        lifecycle_world.register(TEXT.replace("number", "string"))
    assert refused.value.code == "E505"
    assert sorted(one.action for one in lifecycle_world.store.audit) == ["contract.register", "contract.state"]


def test_a_deprecation_is_told_to_the_channels_of_runs_with_everyone_it_hits(lifecycle_world: World) -> None:
    alerts = Alerts(AlertPolicy(("mail",)))
    lifecycle_world.register()
    ends = BEGIN + timedelta(days=90)
    head = change_state(
        "urn:orders",
        ContractState.DEPRECATED,
        lifecycle_world.ports(alerts=alerts),
        reason="v2 has more",
        ends_at=ends,
        replacement="urn:orders2",
    )
    assert head.state is ContractState.DEPRECATED
    assert head.last.told == ("marts.revenue", "marts.yearly")
    (sent,) = lifecycle_world.store.deliveries
    assert (sent.channel, sent.notice.kind, sent.notice.table) == ("mail", NoticeKind.NOTE, "core.orders")
    assert sent.notice.owners == ("fin@example.com",)
    for word in ("orders 1.0.0 is deprecated", f"{ends:%Y-%m-%d}", "urn:orders2", "v2 has more"):
        assert word in sent.notice.text


def test_without_channels_for_runs_all_hear_of_it(lifecycle_world: World) -> None:
    alerts = Alerts(AlertPolicy(()))
    lifecycle_world.register()
    change_state("urn:orders", ContractState.DEPRECATED, lifecycle_world.ports(alerts=alerts))
    assert [one.channel for one in lifecycle_world.store.deliveries] == ["mail", "ops"]


def test_a_new_status_in_the_file_moves_it_and_tells_it_once(lifecycle_world: World) -> None:
    alerts = Alerts(AlertPolicy(("mail",)))
    lifecycle_world.register(alerts=alerts)
    assert lifecycle_world.store.deliveries == []
    deprecated = TEXT.replace("status: active", "status: deprecated")
    moved = lifecycle_world.register(deprecated, alerts)
    assert (moved.created, moved.head.state) == (False, ContractState.DEPRECATED)
    assert not lifecycle_world.register(deprecated, alerts).created
    assert len(lifecycle_world.store.deliveries) == 1
    assert (
        lifecycle_world.register(alerts=alerts).head.state is ContractState.DEPRECATED
    )  # the old file moves nothing back


def test_the_end_of_a_contract_is_not_in_the_past(lifecycle_world: World) -> None:
    lifecycle_world.register()
    with pytest.raises(ForgeError) as refused:
        change_state("urn:orders", ContractState.DEPRECATED, lifecycle_world.ports(), ends_at=BEGIN - timedelta(days=1))
    assert refused.value.where == "ends_at"
    assert len(lifecycle_world.store.history("urn:orders")) == 1


def transform(output: str, *inputs: str) -> Transform:
    tables = tuple(map(TableName.parse, inputs))
    return Transform(
        output=TableName.parse(output),
        body=SqlQuery("SELECT 1"),
        file=f"transforms/{output}.sql",
        line=1,
        code_hash="x",
        inputs=tables,
    )


def retire(lifecycle_world: World) -> None:
    lifecycle_world.register()
    change_state("urn:orders", ContractState.DEPRECATED, lifecycle_world.ports())
    change_state(
        "urn:orders", ContractState.RETIRED, lifecycle_world.ports(), reason="nobody pays for it", replacement="urn:v2"
    )


def test_a_retired_contract_refuses_who_begins_to_read_it(lifecycle_world: World) -> None:
    retire(lifecycle_world)
    metadata = lifecycle_world.lineage.metadata
    branch = metadata.branch(lifecycle_world.lineage.ports.default_branch)
    assert branch is not None
    new = [transform("marts.fresh", "core.orders"), transform("marts.apart", "raw.else")]
    (error,) = find_new_readers(retired_tables(lifecycle_world.store), new, metadata.tree(branch.head), metadata)
    assert error.code == "E506"
    assert "marts.fresh" in error.what
    assert error.where == "transforms/marts.fresh.sql:1"
    assert "nobody pays" in (error.why or "")
    assert "urn:v2" in (error.fix or "")


@pytest.mark.parametrize(
    ("kind", "inputs", "sources", "is_refused"),
    [
        ("run", {"core.orders": 1}, (), False),
        ("run", {"raw.else": 1}, (), True),
        ("run", {}, ("core.orders",), True),  # the run says what it read: nothing
        ("merge", {}, ("core.orders",), False),  # brought over from both sides
        ("merge", {}, ("raw.else",), True),
        ("revert", {}, (), False),  # nobody knows what it was made from
        ("adopt", {}, (), False),
    ],
)
def test_a_reader_stays_one_whatever_wrote_its_table_last(
    lifecycle_world: World, kind: str, inputs: dict[str, SnapshotId | None], sources: tuple[str, ...], is_refused: bool
) -> None:
    retire(lifecycle_world)
    output = TableName.parse("marts.old")
    record = OutputRecord(table=output, status=OutputStatus.PUBLISHED, inputs=inputs)
    lineage = TableLineage(output, table_edges=tuple(TableEdge(name, "marts.old") for name in sources))
    run = run_record("run-9x", kind=kind, outputs=(record,))
    metadata = lifecycle_world.lineage.metadata
    metadata.start_run(run)
    metadata.finish_run(run, (), (), (lineage,))
    tree = {
        output: TableVersion(
            catalog=CatalogName("marts", "old"), uuid="uuid", snapshot_id=SnapshotId(1), schema_id=0, run_id=run.id
        )
    }
    found = find_new_readers(
        retired_tables(lifecycle_world.store), [transform("marts.old", "core.orders")], tree, metadata
    )
    assert [error.code for error in found] == (["E506"] if is_refused else [])


def test_without_any_channel_nobody_is_told(lifecycle_world: World) -> None:
    lifecycle_world.register()
    head = change_state("urn:orders", ContractState.DEPRECATED, lifecycle_world.ports())
    assert (head.state, head.last.told, lifecycle_world.store.deliveries) == (ContractState.DEPRECATED, (), [])


def test_an_older_version_that_ends_does_not_end_the_newest(lifecycle_world: World) -> None:
    lifecycle_world.register(TEXT.replace("1.0.0", "2.0.0"))
    old = TEXT.replace("status: active", "status: deprecated")
    admitted = admit(old, "contracts/orders.odcs.yaml", lifecycle_world.ports())
    assert admitted.registering is not None
    assert (admitted.registering.head.newest.version, admitted.registering.head.state) == (
        "2.0.0",
        ContractState.ACTIVE,
    )
    (found,) = (one.violation for one in admitted.findings if one.violation.code == "E507")
    assert "2.0.0 is the newest version" in found.message
    assert "forge contract state urn:orders deprecated" in found.fix


def test_a_contract_that_only_ends_refuses_nobody(lifecycle_world: World) -> None:
    lifecycle_world.register()
    change_state("urn:orders", ContractState.DEPRECATED, lifecycle_world.ports())
    assert retired_tables(lifecycle_world.store) == {}


def test_a_status_that_does_not_come_next_is_told_and_moves_nothing(lifecycle_world: World) -> None:
    lifecycle_world.register()
    text = TEXT.replace("status: active", "status: retired").replace("1.0.0", "1.1.0")
    admitted = admit(text, "contracts/orders.odcs.yaml", lifecycle_world.ports())
    (found,) = (one for one in admitted.findings if one.violation.code == "E507")
    assert (found.violation.code, found.violation.severity, found.violation.line) == ("E507", "warning", 6)
    assert "deprecated" in found.violation.fix
    assert admitted.registering is not None
    assert admitted.registering.head.state is ContractState.ACTIVE
