"""What goes to the JVM goes by a file: its form, its rights, and what may not be an argument."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import pytest

from forge.engines.spark.session.session import SparkSettings, spark_conf, start_session
from forge.engines.spark.session.submit import (
    REDACTION,
    SUBMIT,
    handed_over,
    redaction_of,
    submit_arguments,
    write_properties,
)
from forge.model.errors import ForgeError
from forge.model.secret import Secret


def test_the_file_is_for_its_owner_alone_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        file = write_properties({"spark.a": "b"}, tmp_path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_what_properties_would_trim_or_split_is_escaped(tmp_path: Path) -> None:
    file = write_properties({"spark.a:b": " x=y\\z\n#! ü"}, tmp_path)
    assert file.read_text(encoding="utf-8") == "spark.a\\:b=\\ x\\=y\\\\z\\n\\#\\!\\ ü\n"


def test_the_arguments_of_the_user_stay_and_come_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert submit_arguments(tmp_path / "f", None).endswith("--load-spark-defaults pyspark-shell")
    monkeypatch.setenv(SUBMIT, "--conf spark.x=1 pyspark-shell")
    with handed_over({"spark.a": "hush"}):
        during = os.environ[SUBMIT]
        file = Path(during.split()[1])
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
        assert "hush" in file.read_text()
    assert during.endswith("--conf spark.x=1 pyspark-shell")
    assert "hush" not in during
    assert not file.exists()
    assert os.environ[SUBMIT] == "--conf spark.x=1 pyspark-shell"


def test_the_environment_is_as_before_also_where_nothing_was_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SUBMIT, raising=False)
    with pytest.raises(ValueError, match="no"), handed_over({}):
        raise ValueError("no")
    assert SUBMIT not in os.environ


@pytest.mark.parametrize(
    ("key", "hidden"),
    [
        ("spark.sql.catalog.forge.jdbc.password", True),
        ("spark.hadoop.fs.s3a.access.key", True),
        ("spark.hadoop.fs.s3a.secret.key", True),
        ("spark.hadoop.fs.azure.account.key.house.dfs.core.windows.net", True),
        ("spark.odd.name", True),  # because its value was a reference to a secret
        ("spark.mine", True),  # because the settings say so
        ("spark.master", False),
        ("spark.driver.memory", False),
    ],
)
def test_spark_hides_what_is_secret_by_name_by_setting_or_by_reference(key: str, hidden: bool) -> None:
    pattern = redaction_of({"spark.odd.name": Secret("x"), REDACTION: "^spark[.]mine$", "spark.driver.memory": "2g"})
    assert bool(re.search(pattern, key)) is hidden


def test_settings_win_over_what_forge_says(tmp_path: Path) -> None:
    conf = spark_conf(SparkSettings("local[1]", {"spark.app.name": "mine", "spark.ui.enabled": "true"}, {}, tmp_path))
    assert (conf["spark.master"], conf["spark.app.name"], conf["spark.ui.enabled"]) == ("local[1]", "mine", "true")


@pytest.mark.parametrize("key", ["spark.driver.extraJavaOptions", "spark.executor.defaultJavaOptions"])
def test_a_secret_among_options_of_java_is_refused(key: str, tmp_path: Path) -> None:
    with pytest.raises(ForgeError) as refused:
        start_session(SparkSettings("local[1]", {key: Secret("-Dpassword=hush")}, {}, tmp_path / "spark.log"))
    assert refused.value.code == "E105"
    assert "hush" not in str(refused.value)


def test_on_one_machine_spark_listens_to_itself_and_on_a_cluster_to_the_others(tmp_path: Path) -> None:
    local = spark_conf(SparkSettings("local[1]", {}, {}, tmp_path))
    assert local["spark.driver.host"] == local["spark.driver.bindAddress"] == "127.0.0.1"
    assert "spark.driver.host" not in spark_conf(SparkSettings("spark://host:7077", {}, {}, tmp_path))


def test_a_task_that_runs_out_of_stack_ends_an_executor_of_a_cluster_and_not_the_process_of_all(tmp_path: Path) -> None:
    key = "spark.executor.killOnFatalError.depth"
    assert spark_conf(SparkSettings("local[1]", {}, {}, tmp_path))[key] == "0"
    assert key not in spark_conf(SparkSettings("spark://host:7077", {}, {}, tmp_path))
