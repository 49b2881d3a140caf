"""The life of a session as far as no JVM is needed: what is asked of one that is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from forge.engines.spark.engine import SparkEngine
from forge.engines.spark.session.session import LazySession, SparkSettings
from forge.flows.runs.engine import JobProgress
from forge.model.errors import ForgeError
from forge.model.names import RunId, TableName


@pytest.fixture
def session(tmp_path: Path) -> LazySession:
    return LazySession(settings=SparkSettings("local[1]", {}, {}, tmp_path / "spark.log"))


def test_progress_and_cancel_start_nothing(session: LazySession, tmp_path: Path) -> None:
    engine = SparkEngine(session, tmp_path)
    assert engine.progress(RunId("r1"), TableName("core", "orders")) == JobProgress(0, 0, 0, 0, 0)
    engine.cancel(RunId("r1"))
    assert not session.started
    assert session.peek() is None
    assert session.state.state == "stopped"


def test_a_start_that_fails_is_told_and_tried_again(
    session: LazySession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nothing"))
    for _ in range(2):
        with pytest.raises(ForgeError, match="No Java"):
            session.get()
    state = session.state
    assert (state.state, state.error and state.error.code) == ("failed", "E301")
    assert state.since is not None
    java = tmp_path / "nothing" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\necho 'openjdk version \"11\"' >&2\n")
    java.chmod(0o755)
    with pytest.raises(ForgeError, match="is Java 11"):
        session.get()


def test_a_cancelled_run_begins_no_step(session: LazySession, tmp_path: Path) -> None:
    engine = SparkEngine(session, tmp_path)
    engine.begin(RunId("r1"), TableName("core", "orders"))
    engine.cancel(RunId("r1"))
    with pytest.raises(ForgeError) as caught:
        engine.query("SELECT 1", {}, {}, None)
    assert caught.value.code == "E901"
    assert not session.started
