"""`forge.connect().quality`, on real stores. Python measures, in place of Spark."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from migrated import lay_database
from version_world import ArrowEngine

import forge
from forge.connection import Connection, QualityView
from forge.model.errors import ForgeError
from forge.quality.checks import RowCountCheck
from forge.wiring import Wiring

ORDERS = "order_id,amount,status\n" + "".join(f"{n},{n}.5,{'paid' if n % 3 else 'new'}\n" for n in range(1, 121))
CHECKS = """\
checks:
  core.orders:
    - {type: not_null, column: status}
    - {type: range, column: amount, min: 0, max: 100}
monitors:
  - {name: Orders, dataset: core.orders, checks: [{type: row_count, min: 1}]}
"""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("quality") / "house"
    root.mkdir()
    (root / "forge.yaml").write_text("project: house\nuser: {name: Ada, email: ada@example.com}\n")
    lay_database(root / ".forge" / "forge.db")
    (root / "orders.csv").write_text(ORDERS)
    with forge.connect(root) as f:
        f.commit("core.orders", file=root / "orders.csv")
    (root / "quality").mkdir()
    (root / "quality" / "orders.yaml").write_text(CHECKS)
    return root


@pytest.fixture
def f(kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connection]:
    monkeypatch.setattr(Wiring, "engine", property(lambda self: ArrowEngine(self.versioning.tables)))
    with forge.connect(shutil.copytree(kept, tmp_path / "house")) as connection:
        yield connection


def test_checks_are_judged_kept_and_shown_as_a_table(f: Connection) -> None:
    checked = f.quality.run("core.orders")
    assert [one.verdict for one in checked] == ["passed", "failed"]
    assert (checked.passed, len(checked.findings()), len(checked.findings("critical"))) == (False, 1, 0)
    assert checked[1].place == "quality/orders.yaml:4"
    assert list(checked.to_pandas()["check_id"]) == [one.check_id for one in checked]
    assert "core.orders.amount.range" in checked._repr_html_()
    kept = f.quality.results("core.orders")
    assert {one.id for one in kept} == {one.id for one in checked}
    assert [one.type for one in f.quality.results(verdict="failed")] == ["range"]
    with pytest.raises(ForgeError, match="1 of 2 checks did not pass") as caught:
        checked.raise_for_status()
    assert caught.value.code == "E702"


def test_checks_can_be_given_and_nothing_of_the_project_is_needed(f: Connection) -> None:
    (one,) = f.quality.run("core.orders", checks=[RowCountCheck(min=1)])
    assert (one.verdict, one.place) == ("passed", None)
    assert f.quality.run("core.orders", checks=[RowCountCheck(min=1)]).raise_for_status()


def test_a_monitor_is_found_by_its_name_and_its_results_are_its_own(f: Connection) -> None:
    (monitor,) = f.quality.monitors()
    assert (monitor.to_dict()["dataset"], monitor.to_dict()["file"]) == ("core.orders", "quality/orders.yaml:6")
    (one,) = f.quality.run_monitor("Orders")
    assert one.monitor_id == monitor.id
    assert [each.id for each in f.quality.results(monitor="Orders")] == [one.id]
    assert f.quality.monitors("core.others") == ()


def test_suggestions_say_what_they_rest_on(f: Connection) -> None:
    suggested = f.quality.suggest("core.orders")
    assert suggested.profile.rows == 120
    assert {"type": "unique", "columns": ["order_id"]} in [one.check for one in suggested]
    assert not [one for one in suggested if one.check == {"type": "not_null", "column": "status"}]
    assert suggested.to_dict()["row_count"] == 120


def test_a_metric_has_a_history_and_a_version_is_fit_or_not(f: Connection) -> None:
    f.quality.run("core.orders")
    baseline = f.quality.baseline("core.orders")
    assert [point.value.value for point in baseline] == [120.0]
    assert baseline.anomalies() == ()
    gate = f.quality.gate("core.orders", min_score=100)
    assert (bool(gate), gate.rows()[0]["passed"]) == (False, False)
    assert f.quality.gate("core.orders", max_age=24)


def test_what_is_wrong_is_listed(f: Connection) -> None:
    f.quality.run("core.orders")
    found = f.quality.incidents()
    assert all(one.to_dict()["table"] == "core.orders" for one in found)
    assert f.quality.incidents("core.others") == ()


def test_names_that_are_wrong_are_answered(f: Connection) -> None:
    for call in (f.quality.run, f.quality.results):
        with pytest.raises(ForgeError) as caught:
            call("core.ordres")
        assert (caught.value.code, caught.value.why) == ("E108", "Did you mean core.orders?")
    with pytest.raises(ForgeError) as caught:
        f.quality.results(verdict="fail")
    assert caught.value.code == "E105"


def test_a_branch_is_judged_as_it_is_there(f: Connection) -> None:
    view = QualityView(f.wiring, f.current)
    assert view.run("core.orders@main")[0].branch == "main"
    with pytest.raises(ForgeError) as caught:
        view.run("core.orders@nowhere")
    assert caught.value.code == "E602"


def test_a_person_says_what_a_point_was_and_takes_it_back(f: Connection) -> None:
    f.quality.run("core.orders")
    (metric, newest, found) = f.quality.metrics("core.orders")[0]
    assert (found.is_anomaly, newest.feedback) == (False, None)
    said = f.quality.feedback("core.orders", metric.name, newest.time, "incident", note="half a file")
    assert [(str(one.value.feedback), one.value.point_feedback.note) for one in said if one.value.point_feedback] == [
        ("incident", "half a file")
    ]
    again = f.quality.feedback("core.orders", metric.name, newest.time, None)
    assert [one.value.feedback for one in again] == [None]
    with pytest.raises(ForgeError, match="Did you mean incident") as caught:
        f.quality.feedback("core.orders", metric.name, newest.time, "incidnt")
    assert caught.value.code == "E105"
    with pytest.raises(ForgeError) as caught:
        f.quality.feedback("core.orders", metric.name, newest.time - timedelta(days=400), "expected")
    assert caught.value.code == "E742"


def test_alerts_are_muted_for_a_while_and_heard_again(f: Connection) -> None:
    f.quality.run("core.orders")
    (alert,) = f.quality.alerts("core.orders", status="failing")
    assert alert.check_id == "core.orders.amount.range"
    mute = f.quality.mute("core.orders", hours=8, reason="a known migration")
    assert [one.id for one in f.quality.mutes()] == [mute.id]
    assert (mute.table, mute.by, mute.reason) == ("core.orders", "ada@example.com", "a known migration")
    of_monitor = f.quality.mute(monitor="Orders", until=mute.until) if f.quality.monitors() else mute
    assert of_monitor.scope is not None
    for one in f.quality.mutes():
        f.quality.unmute(one.id)
    assert f.quality.mutes() == ()
    for wrong in ({}, {"hours": 1, "until": mute.until}):
        with pytest.raises(ForgeError, match="needs one end"):
            f.quality.mute("core.orders", **wrong)  # type: ignore[arg-type]
    assert f.quality.deliveries() == ()
    assert f.quality.channels() == {}
    with pytest.raises(ForgeError) as caught:
        f.quality.retry_delivery("nothing")
    assert caught.value.code == "E736"
    with pytest.raises(ForgeError) as caught:
        f.quality.test_channel("pager")
    assert caught.value.code == "E731"


def test_one_of_each_is_found_by_its_id(f: Connection) -> None:
    checked = f.quality.run("core.orders")
    assert f.quality.result(checked[1].id).message == checked[1].message
    (incident,) = f.quality.incidents("core.orders")
    assert f.quality.incident(incident.id).id == incident.id
    changed = f.quality.change_incident(incident.id, assignee="bob", status="acknowledged")
    assert (changed.assignee, str(changed.status)) == ("bob", "acknowledged")
    assert f.quality.change_incident(incident.id, assignee="").assignee is None
    for call, code in ((f.quality.result, "E724"), (f.quality.incident, "E730"), (f.quality.remediation, "E745")):
        with pytest.raises(ForgeError) as caught:
            call("nothing")
        assert caught.value.code == code
    (health,) = f.quality.datasets()
    assert (str(health.table), health.score) == ("core.orders", 50.0)
    assert sum(day.failed for day in f.quality.trend()) == 1


def test_a_monitor_is_looked_at_before_it_is_made(f: Connection) -> None:
    draft = f.quality.preview_monitor("Twice", "core.orders", schedule={"type": "cron", "cron": "0 6 * * *"})
    assert (draft.valid, len(draft.checks), len(draft.next_runs)) == (True, 2, 5)
    wrong = f.quality.preview_monitor("Twice", "core.ordres", checks=[{"type": "row_cuont"}])
    assert not wrong.valid
    assert [one.name for one in (item.monitor for item in f.quality.monitors())] == ["Orders"]


@pytest.mark.slow
def test_a_remediation_is_seen_row_by_row_before_it_is_approved(f: Connection, tmp_path: Path) -> None:
    checks = f.wiring.root / "quality" / "orders.yaml"
    text = checks.read_text()
    for name, amount in (("good", 1), ("bad", 101)):
        (tmp_path / f"{name}.csv").write_text(f"order_id,amount,status\n1,{amount}.5,paid\n")
        checks.unlink()  # it would hold the bad one back
        f.commit("core.orders", file=tmp_path / f"{name}.csv", mode="overwrite")
        checks.write_text(text)
        f.quality.run("core.orders")
    proposed = f.quality.propose("core.orders", "rollback")
    assert f.quality.remediation(proposed.id).id == proposed.id
    assert [one.id for one in f.quality.remediations("core.orders@main", status=str(proposed.status))] == [proposed.id]
    (shown,) = f.quality.preview_remediation(proposed.id)
    assert str(shown.table) == "core.orders"
    assert f.quality.approve(proposed.id).id == proposed.id
    assert f.quality.run("core.orders").passed
