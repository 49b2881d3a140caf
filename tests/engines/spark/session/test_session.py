"""What is decided before a JVM is started."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from forge.engines.spark.session.session import (
    PACKAGES,
    LazySession,
    SparkSettings,
    cached_jars,
    find_java,
    jars_conf,
    reads_delta,
    start_session,
)
from forge.model.errors import ForgeError


def settings(master: str = "local[1]", **conf: str) -> SparkSettings:
    return SparkSettings(master, conf, {}, Path("unused.log"))


@pytest.mark.parametrize(
    ("made", "remote"),
    [(settings("sc://host:15002"), None), (settings(**{"spark.remote": "sc://host"}), None), (settings(), "sc://host")],
)
def test_spark_connect_is_refused_with_the_reason(
    made: SparkSettings, remote: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if remote:
        monkeypatch.setenv("SPARK_REMOTE", remote)
    with pytest.raises(ForgeError) as caught:
        start_session(made)
    assert caught.value.code == "E303"
    assert "analysed plan" in str(caught.value.why)


def fake_java(folder: Path, version: str) -> Path:
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    java.chmod(0o755)
    return folder


@pytest.mark.parametrize("version", ["17.0.15", "21", "25.0.1"])
def test_java_17_and_newer_will_do(version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path, version)))
    assert find_java() == str(tmp_path / "bin" / "java")


@pytest.mark.parametrize("version", ["11.0.2", "1.8.0_402"])
def test_an_older_java_is_named_with_the_line_that_installs_a_newer(
    version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path, version)))
    with pytest.raises(ForgeError) as caught:
        find_java()
    assert caught.value.code == "E301"
    assert "openjdk-17" in str(caught.value.fix)


def test_no_java_is_named_with_the_line_that_installs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ForgeError) as caught:
        find_java()
    assert caught.value.code == "E301"
    assert "openjdk-17" in str(caught.value.fix)


def test_jars_named_in_the_settings_are_used_as_they_are() -> None:
    assert jars_conf({"spark.jars": "/lib/a.jar"}) == {}


def test_delta_is_read_by_a_spark_of_this_machine_that_has_its_jars() -> None:
    assert reads_delta(settings("local[2]"))
    assert not reads_delta(settings("spark://cluster:7077"))
    assert not reads_delta(replace(settings("local[2]"), conf={"spark.jars": "/lib/iceberg.jar"}))
    assert reads_delta(replace(settings("local[2]"), conf={"spark.jars": "/lib/delta-spark_4.1_2.13-4.1.0.jar"}))


def test_without_jars_the_packages_are_resolved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cached_jars() == ()
    ivy = str(tmp_path / ".ivy2.5.2")
    resolved = jars_conf({})
    assert resolved == {
        "spark.jars.packages": ",".join(PACKAGES),
        "spark.jars.excludes": "io.unitycatalog:unitycatalog-client",
        "spark.jars.ivy": ivy,
    }
    jars = tmp_path / ".ivy2.5.2" / "jars"
    jars.mkdir(parents=True)
    for package in PACKAGES:
        group, name, version = package.split(":")
        (jars / f"{group}_{name}-{version}.jar").touch()
    assert len(cached_jars()) == len(PACKAGES)
    assert set(jars_conf({})) == {"spark.jars"}


def test_a_session_is_not_started_until_it_is_asked_for() -> None:
    session = LazySession(settings=settings("sc://nowhere"))
    assert not session.started
    session.stop()
