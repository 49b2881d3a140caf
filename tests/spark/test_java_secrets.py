"""Secrets of the settings reach Spark, and no other user of the machine, page, event log or log file sees them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from seen_by_others import SECRETS, watch_session

from forge.engines.spark.session.process import java_of

pytestmark = pytest.mark.spark


def test_secrets_reach_spark_and_nobody_else(tmp_path: Path) -> None:
    told, looks = watch_session(tmp_path, "local[1]", {})
    assert told["rows"] == [7]
    assert told["told"] == {
        "spark.hadoop.fs.s3a.secret.key": SECRETS["S3_KEY"],
        "spark.hadoop.fs.azure.account.key.house": SECRETS["AZURE"],
        "spark.sql.catalog.forge.jdbc.password": SECRETS["DATABASE"],
        "spark.odd.name": SECRETS["ODD"],
        "spark.plain": " two words = and\\more ",
    }
    assert any("org.apache.spark.deploy.SparkSubmit" in look and str(tmp_path) in look for look in looks)
    (events,) = (tmp_path / "events").iterdir()
    places = {
        "arguments and environments": "\n".join(looks),
        "the page of the environment": told["shown"],
        "the error of the database": told["refused"],
        "the event log": events.read_text(),
        "the log": (tmp_path / "spark.log").read_text(),
    }
    assert all(places.values())
    assert "fs.s3a.secret.key" in places["the page of the environment"]
    assert "fs.s3a.secret.key" in places["the event log"]
    found = [(place, secret) for place, text in places.items() for secret in SECRETS.values() if secret in text]
    assert found == []


def test_spark_on_one_machine_listens_on_loopback_alone(spark: SparkSession) -> None:
    process = java_of(spark)
    assert process is not None
    sockets = {link for fd in Path(f"/proc/{process.pid}/fd").iterdir() if (link := link_of(fd)).startswith("socket:")}
    listening = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{process.pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                listening.append(fields[1].rpartition(":")[0])
    assert listening
    assert [address for address in listening if not address.endswith("0100007F")] == []


def link_of(fd: Path) -> str:
    try:
        return os.readlink(fd)
    except OSError:  # closed meanwhile
        return ""
