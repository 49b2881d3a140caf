"""What every store of contracts does: versions never change, states go on, and all of a write is one transaction."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from alert_world import delivery, notice
from logged_changes import logged
from migrated import open_migrated
from sqlalchemy import Engine, text
from store_records import MAIN, commit_of, note, quiet, run_record

from forge.contracts.contract import Violation
from forge.contracts.datacontract_results import MOST_RUNS, TestedCheck, TestRun, TestSummary
from forge.contracts.lifecycle import ContractState, LifecycleStep
from forge.contracts.registry import (
    NAMESPACE_KEY,
    CompileRecord,
    ContractCheck,
    ContractFinding,
    ContractHead,
    RegisteredContract,
)
from forge.flows.contracts.ports import ContractStore, LifecycleWrite, Registration
from forge.flows.ports import Metadata
from forge.flows.runs.records import AuditRecord, Publication, PublishedCommit
from forge.model.errors import ForgeError
from forge.stores.memory.contracts import MemoryContracts
from forge.stores.memory.metadata import MemoryMetadata
from forge.stores.sql.contracts.registry import SqlContracts
from forge.stores.sql.metadata import SqlMetadata
from forge.stores.sql.quality.alerts import SqlAlerts
from forge.versioning.branch import Branch

NOW = datetime(2026, 11, 16, 6, 10, tzinfo=UTC)
AUDIT = AuditRecord(NOW, "ada@example.com", "contract.register", "orders")


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.services("postgres"))])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ContractStore]:
    match request.param:
        case "memory":
            yield MemoryContracts()
        case "sqlite":
            engine = open_migrated(f"sqlite:///{tmp_path}/forge.db")
            yield SqlContracts(engine)
            engine.dispose()
        case _:
            make: Callable[[], str] = request.getfixturevalue("new_postgres")
            engine = open_migrated(make())
            yield SqlContracts(engine)
            engine.dispose()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.services("postgres"))])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    make = request.getfixturevalue("new_postgres") if request.param == "postgresql" else None
    engine = open_migrated(make() if make else f"sqlite:///{tmp_path}/forge.db")
    yield engine
    engine.dispose()


def registered(version: str = "1.0.0", name: str = "orders", digest: str = "") -> RegisteredContract:
    return RegisteredContract(
        id=f"urn:{name}",
        name=name,
        version=version,
        api_version="v3.1.0",
        schema_hash="sha256:schema",
        digest=digest or f"sha256:{version}",
        text=f"version: {version}\nname: Ärger\n",
        registered_at=NOW,
        registered_by="ada@example.com",
        owner="team-a",
        domain="sales",
        description="All orders.",
        tables=("core.orders", "core.lines", "loose"),
        tags=("gold",),
        extends=("platform",),
        file="contracts/orders.odcs.yaml",
        run_id="r1",
    )


def change(
    state: ContractState, before: ContractState | None, version: str = "1.0.0", at: datetime = NOW
) -> LifecycleStep:
    return LifecycleStep(state=state, before=before, at=at, by="ada@example.com", version=version)


def registration(new: RegisteredContract, state: ContractState = ContractState.ACTIVE) -> Registration:
    """The state is set by the first version and then stays."""

    def decide(head: ContractHead | None) -> LifecycleWrite | None:
        return LifecycleWrite(change(state, None, new.version)) if head is None else None

    return Registration(new, decide, (AUDIT,))


def test_what_is_registered_is_found_again(store: ContractStore) -> None:
    assert store.head("urn:orders") is None
    assert store.register(registration(registered()))
    head = store.head("urn:orders")
    assert head is not None
    assert head.newest == registered()
    assert (head.state, head.versions, head.notice) == (ContractState.ACTIVE, 1, None)
    assert store.version("urn:orders", "1.0.0") == registered()
    assert store.version("urn:orders", "1.0.1") is None
    assert store.versions("urn:other") == ()


def test_the_tables_of_a_contract_are_in_the_log_of_changes(store: ContractStore) -> None:
    told: list[tuple[str, str]] = []
    if isinstance(store, MemoryContracts):
        store = MemoryContracts(lambda names: told.extend(("asset", name) for name in names))
    first, tables = registered(), ["core.lines", "core.orders", "loose"]
    fewer = replace(registered("2.0.0"), tables=("Core.New",))
    steps: tuple[tuple[Callable[[], object], list[str]], ...] = (
        (lambda: store.register(registration(first)), tables),
        (lambda: store.register(registration(first)), []),  # the same again
        (
            lambda: store.register_all([registration(fewer)]),
            ["Core.New", *tables[:2], "core.new", "loose"],
        ),  # those it left, too
        (lambda: store.register(registration(registered("1.9.0"))), []),  # behind the newest one
    )
    for act, names in steps:
        wanted = [("asset", name) for name in sorted(names)]
        if isinstance(store, SqlContracts):
            assert logged(store._engine, act) == wanted
        else:
            act()
            assert told == wanted
            told.clear()


def test_registering_the_same_again_changes_nothing(store: ContractStore) -> None:
    store.register(registration(registered()))
    later = replace(registered(), registered_at=NOW + timedelta(days=1), registered_by="ben@example.com")
    assert not store.register(registration(later))
    head = store.head("urn:orders")
    assert head is not None
    assert head.newest == registered()
    assert len(store.history("urn:orders")) == 1


def test_a_version_with_another_content_is_refused_and_nothing_moves(store: ContractStore) -> None:
    store.register(registration(registered()))
    moving = LifecycleWrite(change(ContractState.DEPRECATED, ContractState.ACTIVE))
    with pytest.raises(ForgeError) as refused:
        store.register(Registration(registered(digest="sha256:other"), lambda head: moving, (AUDIT,)))
    assert refused.value.code == "E505"
    head = store.head("urn:orders")
    assert head is not None
    assert (head.newest, head.state) == (registered(), ContractState.ACTIVE)


def test_the_highest_version_counts_in_whatever_order_they_come(store: ContractStore) -> None:
    for version in ("1.9.0", "1.10.0", "2.0.0-rc.1", "1.9.1"):
        store.register(registration(registered(version)))
    assert [one.version for one in store.versions("urn:orders")] == ["2.0.0-rc.1", "1.10.0", "1.9.1", "1.9.0"]
    head = store.head("urn:orders")
    assert head is not None
    assert (head.newest.version, head.versions) == ("2.0.0-rc.1", 4)


@pytest.mark.slow
def test_all_contracts_are_listed_by_name_without_their_texts(store: ContractStore) -> None:
    store.register(registration(registered(name="orders")))
    store.register(registration(registered(name="customers"), ContractState.DRAFT))
    found = store.heads()
    assert [(head.newest.name, head.state) for head in found] == [
        ("customers", ContractState.DRAFT),
        ("orders", ContractState.ACTIVE),
    ]
    assert found[1].newest == replace(registered(), text="")


def test_a_contract_goes_on_in_its_life_and_its_history_tells_how(store: ContractStore) -> None:
    store.register(registration(registered()))
    step = LifecycleStep(
        state=ContractState.DEPRECATED,
        before=ContractState.ACTIVE,
        at=NOW + timedelta(days=1),
        by="ben@example.com",
        version="1.0.0",
        reason="v2 is better",
        ends_at=NOW + timedelta(days=90),
        replacement="urn:orders2",
        told=("marts.revenue",),
    )
    head = store.move("urn:orders", lambda known: LifecycleWrite(step))
    assert (head.state, head.notice) == (ContractState.DEPRECATED, step)
    assert store.history("urn:orders") == (step, change(ContractState.ACTIVE, None))
    assert store.head("urn:orders") == head


def test_what_refuses_a_move_leaves_all_as_it_was(store: ContractStore) -> None:
    store.register(registration(registered()))

    def refuse(head: ContractHead) -> LifecycleWrite:
        raise ForgeError("E507", f"{head.state} stays")

    with pytest.raises(ForgeError):
        store.move("urn:orders", refuse)
    assert len(store.history("urn:orders")) == 1
    with pytest.raises(ForgeError) as unknown:
        store.move("urn:oders", refuse)
    assert unknown.value.code == "E504"
    assert "urn:orders" in (unknown.value.why or "")


def test_results_are_kept_once_and_read_newest_first(store: ContractStore) -> None:
    checks = (
        TestedCheck(
            name="amount is there",
            type="field_present",
            result="failed",
            category="schema",
            table="orders",
            column="amount",
            reason="gone",
        ),
    )
    first = TestRun(
        id="t1",
        contract_id="urn:orders",
        result="failed",
        received_at=NOW,
        received_by="ci",
        version="1.0.0",
        server="prod",
        tool="datacontract-cli 1.2.8",
        started_at=NOW,
        finished_at=NOW,
        checks=checks,
    )
    second = TestRun(
        id="t2", contract_id="urn:orders", result="passed", received_at=NOW + timedelta(hours=1), received_by="ci"
    )
    assert store.add_results(first, AUDIT)
    assert store.add_results(second, AUDIT)
    assert not store.add_results(replace(first, result="passed"), AUDIT)
    assert store.results("urn:orders") == (second, first)
    assert store.results("urn:orders", limit=1) == (second,)
    assert store.last_results() == {"urn:orders": second.summary}
    assert store.results("urn:other") == ()


def test_a_list_gets_the_counts_of_the_last_test_without_its_checks(store: ContractStore) -> None:
    said = [
        TestedCheck(name=str(i), type="row_count", result=word)
        for i, word in enumerate(("passed", "passed", "failed", "error"))
    ]
    run = TestRun(
        id="t1",
        contract_id="urn:orders",
        result="failed",
        received_at=NOW,
        received_by="ci",
        finished_at=NOW,
        checks=tuple(said),
    )
    assert store.add_results(run, AUDIT)
    assert store.last_results() == {"urn:orders": TestSummary("t1", "urn:orders", "failed", NOW, 2, 2)}


def test_the_newest_hundred_results_of_a_contract_are_kept(store: ContractStore) -> None:
    store.add_results(
        TestRun(id="else", contract_id="urn:else", result="passed", received_at=NOW, received_by="ci"), AUDIT
    )
    for number in range(MOST_RUNS + 3):
        store.add_results(
            TestRun(
                id=f"t{number}",
                contract_id="urn:orders",
                result="passed",
                received_at=NOW + timedelta(minutes=number),
                received_by="ci",
            ),
            AUDIT,
        )
    kept = [run.id for run in store.results("urn:orders", limit=1000)]
    assert kept == [f"t{number}" for number in range(MOST_RUNS + 2, 2, -1)]
    assert len(store.results("urn:else")) == 1


def test_the_last_check_of_a_contract_replaces_the_one_before(store: ContractStore) -> None:
    violation = Violation(
        code="E531",
        severity="error",
        file="contracts/o.yaml",
        line=3,
        column=5,
        path="schema[0]",
        message="amount is missing",
        fix="add it",
    )
    checked = ContractCheck(
        "urn:orders", "1.0.0", NOW, (ContractFinding("drift", violation, "data_contract", "urn:orders"),)
    )
    other = ContractCheck("urn:other", "1.0.0", NOW)
    store.keep_checks([checked, other])
    assert store.checks() == {"urn:orders": checked, "urn:other": other}
    clean = ContractCheck("urn:orders", "1.0.1", NOW + timedelta(hours=1))
    store.keep_checks([clean])
    assert store.checks() == {"urn:orders": clean, "urn:other": other}
    store.keep_checks([])
    assert checked.count("error") == 1


def test_the_last_compile_is_kept(store: ContractStore) -> None:
    assert store.compiled() is None
    finding = ContractFinding(
        "policy",
        Violation(code="E540", severity="warning", file="jobs/a.sql", line=1, column=1, path="", message="bad name"),
        "naming",
    )
    record = CompileRecord(
        valid=False,
        validated_at=NOW,
        validated_by="ada",
        enforcement="strict",
        schema_hash="sha256:x",
        summary={"naming": 1},
        findings=(finding,),
    )
    store.keep_compiled(replace(record, valid=True))
    store.keep_compiled(record)
    assert store.compiled() == record


def test_of_many_who_register_one_version_at_once_one_wins(store: ContractStore) -> None:
    outcomes: list[object] = []

    def go(number: int) -> None:
        try:
            outcomes.append(store.register(registration(registered(digest=f"sha256:{number % 2}"))))
        except ForgeError as error:
            outcomes.append(error.code)

    threads = [threading.Thread(target=go, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count(True) == 1
    assert outcomes.count("E505") == 3
    assert outcomes.count(False) == 2
    assert len(store.history("urn:orders")) == 1


def test_notices_go_into_the_outbox_with_the_step_they_tell_of(database: Engine) -> None:
    store, alerts = SqlContracts(database), SqlAlerts(database)
    store.register(registration(registered()))
    said = delivery(1, notice(), channel="ops")
    store.move(
        "urn:orders", lambda head: LifecycleWrite(change(ContractState.DEPRECATED, ContractState.ACTIVE), (said,))
    )
    assert [one.id for one in alerts.deliveries()] == [said.id]

    def broken(head: ContractHead) -> LifecycleWrite:
        return LifecycleWrite(change(ContractState.SUNSET, ContractState.DEPRECATED), (said,))  # the same id again

    with pytest.raises(Exception, match=r"(?i)unique"):
        store.move("urn:orders", broken)
    head = store.head("urn:orders")
    assert head is not None
    assert head.state is ContractState.DEPRECATED


def namespace(database: Engine, name: str) -> list[dict[str, str]]:
    query = text("SELECT property_value FROM iceberg_namespace_properties WHERE namespace=:n AND property_key=:k")
    with database.connect() as connection:
        found = connection.execute(query, {"n": name, "k": NAMESPACE_KEY}).scalar()
    return json.loads(found) if found else []


def create_namespace(database: Engine, name: str) -> None:
    with database.begin() as connection:
        insert = "INSERT INTO iceberg_namespace_properties VALUES ('forge', :n, 'exists', 'true')"
        connection.execute(text(insert), {"n": name})


def test_a_namespace_lists_its_contracts_by_name_with_their_newest_version(database: Engine) -> None:
    store = SqlContracts(database)
    create_namespace(database, "core")
    for one in (registered("1.0.0", "zebra"), registered("1.0.0"), registered("1.1.0"), registered("1.0.1")):
        store.register(registration(one))
    assert [(one["name"], one["version"]) for one in namespace(database, "core")] == [
        ("orders", "1.1.0"),
        ("zebra", "1.0.0"),
    ]
    assert namespace(database, "core")[0] == {
        "name": "orders",
        "version": "1.1.0",
        "owner": "team-a",
        "schema_hash": "sha256:schema",
        "registered_at": "2026-11-16T06:10:00+00:00",
    }


def test_a_namespace_that_is_not_there_is_not_made_and_gets_its_list_later(database: Engine) -> None:
    store = SqlContracts(database)
    store.register(registration(registered()))
    assert namespace(database, "core") == []
    create_namespace(database, "core")
    store.register(registration(registered()))
    assert [one["name"] for one in namespace(database, "core")] == ["orders"]


def test_the_list_of_a_namespace_may_be_long(database: Engine) -> None:
    store = SqlContracts(database)
    create_namespace(database, "core")
    for number in range(20):
        store.register(registration(registered(name=f"contract_{number:02}")))
    assert len(namespace(database, "core")) == 20


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.services("postgres"))])
def both(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Metadata, ContractStore]]:
    """A metadata store, and the contracts beside it."""
    main = Branch(name=MAIN, head=None, created_at=NOW, created_by="Ada", updated_at=NOW, is_default=True)
    if request.param == "memory":
        memory = MemoryMetadata()
        memory.create_branch(main, note("branch.create"))
        yield memory, memory.contracts
        return
    make = request.getfixturevalue("new_postgres") if request.param == "postgresql" else None
    engine = open_migrated(make() if make else f"sqlite:///{tmp_path}/forge.db")
    metadata = SqlMetadata(engine)
    metadata.create_branch(main, note("branch.create"))
    yield metadata, SqlContracts(engine)
    engine.dispose()


def publication(*contracts: Registration) -> Publication:
    return Publication(
        pointers=(),
        branch=MAIN,
        expected_head=None,
        commit=commit_of(message="Load"),
        tree={},
        run=run_record("r9"),
        contracts=contracts,
    )


def test_a_publication_registers_the_contracts_it_carries(both: tuple[Metadata, ContractStore]) -> None:
    metadata, store = both
    carried = publication(registration(registered()), registration(registered(name="customers")))
    assert isinstance(metadata.publish(carried, quiet), PublishedCommit)
    assert [head.newest.name for head in store.heads()] == ["customers", "orders"]


def test_a_publication_that_is_killed_registers_nothing(both: tuple[Metadata, ContractStore]) -> None:
    metadata, store = both

    def die(step: str) -> None:
        if step == "publish.records":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        metadata.publish(publication(registration(registered())), die)
    assert store.heads() == ()
    assert store.history("urn:orders") == ()


def test_a_publication_leaves_a_version_that_is_there_as_it_is(both: tuple[Metadata, ContractStore]) -> None:
    metadata, store = both
    store.register(registration(registered()))
    other = registration(registered(digest="sha256:other"))
    assert isinstance(metadata.publish(publication(other, registration(registered("1.1.0"))), quiet), PublishedCommit)
    assert store.version("urn:orders", "1.0.0") == registered()
    assert [one.version for one in store.versions("urn:orders")] == ["1.1.0", "1.0.0"]


def test_several_are_registered_at_once_and_what_is_taken_stays(store: ContractStore) -> None:
    assert store.register(registration(registered("1.0.0")))
    found = store.register_all(
        [
            registration(registered("1.0.0")),
            registration(registered("1.0.0", digest="sha256:other")),
            registration(registered("1.1.0")),
            registration(registered("1.0.0", name="lines")),
        ]
    )
    assert found == (False, None, True, True)
    assert {head.newest.name: head.newest.version for head in store.heads()} == {"orders": "1.1.0", "lines": "1.0.0"}
