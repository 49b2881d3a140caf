"""Mistakes that only Spark can see, and a full disk: a clear message, and nothing lost or half written."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from broken_project import (
    COULD_NOT_RUN,
    FILES,
    Shop,
    assert_nothing_lost,
    assert_recorded,
    make_shop,
)


@pytest.fixture(scope="module")
def good_shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """A project after its first good run."""
    good_shop = make_shop(tmp_path_factory.mktemp("shop"))
    done = good_shop.forge("run", "--no-progress")
    assert done.status == 0, done.err
    assert good_shop.state()["tables"]["marts.total"][1] == [["2026-11-13", "30"]]
    return good_shop


PYTHON = """\
from forge import transform
from pyspark.sql.functions import udf


@transform(output="marts.raised", inputs={"orders": "core.orders"})
def raised(orders):
    rate = {"eur": 1}["usd"]
    return orders.withColumn("rate", rate)


def in_euros(amount):
    return {10: 9}[amount]


@transform(output="marts.worker", inputs={"orders": "core.orders"})
def worker(orders):
    return orders.select(udf(in_euros, "long")("amount").alias("euros"))
"""
BROKEN = {
    "transforms/marts/unknown.sql": "SELECT id,\n  amuont\nFROM core.orders\n",
    "transforms/marts/comma.sql": "SELECT id,\n  amount,\nFROM core.orders\n",
    "transforms/marts/broken.py": PYTHON,
}


@pytest.fixture(scope="module")
def broken(good_shop: Shop) -> dict[str, dict[str, str | None]]:
    """One run with a mistake in each of four new tables, at work at once: the error of each. Nothing is lost by it."""
    before = good_shop.state()
    for name, text in BROKEN.items():
        good_shop.write(name, text)
    try:
        done = good_shop.forge("run", "--json", "--parallel", "4").without_trace()
    finally:
        for name in BROKEN:
            good_shop.write(name, None)
    assert done.status == COULD_NOT_RUN, done.err
    after = good_shop.state()
    assert_nothing_lost(before, after)
    assert_recorded(before, after, done.error)
    errors = {output["table"]: output["error"] for output in json.loads(done.out)["outputs"] if output["error"]}
    for error in errors.values():
        assert f"{error['code']} {error['where']}  {error['what']}\n  why: {error['why']}" in done.err
    return errors


@pytest.mark.spark
def test_an_unknown_column_is_named_with_its_place_and_the_nearest_ones(
    broken: dict[str, dict[str, str | None]],
) -> None:
    error = broken["marts.unknown"]
    assert (error["code"], error["where"]) == ("FORGE-E203", "transforms/marts/unknown.sql:2:3")
    assert "amuont" in str(error["what"])
    assert "Did you mean amount" in str(error["fix"])


@pytest.mark.spark
def test_a_comma_too_many_is_a_syntax_error_at_its_place(broken: dict[str, dict[str, str | None]]) -> None:
    error = broken["marts.comma"]
    assert error["code"] == "FORGE-E201"
    assert str(error["where"]).startswith("transforms/marts/comma.sql:3")


@pytest.mark.spark
def test_an_exception_in_a_python_transform_is_told_at_its_own_line(broken: dict[str, dict[str, str | None]]) -> None:
    error = broken["marts.raised"]
    assert (error["code"], error["where"]) == ("FORGE-E207", "transforms/marts/broken.py:7")
    assert error["what"] == "KeyError: 'usd'"


@pytest.mark.spark
def test_an_exception_while_spark_works_on_the_rows_is_told_at_its_own_line(
    broken: dict[str, dict[str, str | None]],
) -> None:
    error = broken["marts.worker"]
    assert (error["code"], error["where"]) == ("FORGE-E207", "transforms/marts/broken.py:12")
    assert error["what"] == "KeyError: 20"


@pytest.mark.spark
def test_rows_that_do_not_fit_refuse_the_whole_file_and_once_corrected_it_is_loaded(good_shop: Shop) -> None:
    before = good_shop.state()
    good_shop.write("data/2.csv", "id,amount,day\n3,5,2026-11-14\n4,cheap,2026-11-14\n")
    done = good_shop.forge("run", "--json", "-vv")
    assert done.status == COULD_NOT_RUN, done.err
    error, after = done.error, good_shop.state()
    assert (error["code"], error["where"]) == ("FORGE-E210", "sources/shop.yaml:2")
    assert str(error["what"]).startswith("data/2.csv ")
    assert "cheap" in str(error["why"])
    assert "Traceback (most recent call last)" in done.err  # that is what -vv asks for
    assert_nothing_lost(before, after)
    assert_recorded(before, after, error)

    good_shop.write("data/2.csv", "id,amount,day\n3,5,2026-11-14\n4,7,2026-11-14\n")
    done = good_shop.forge("run", "--no-progress")
    assert done.status == 0, done.err
    tables = good_shop.state()["tables"]
    assert [row[0] for row in tables["raw.orders"][1]] == ["1", "2", "3", "4"]
    assert tables["marts.total"][1] == [["2026-11-13", "30"], ["2026-11-14", "12"]]


# A disk that is full


DISK, LEFT = 32 << 20, 512 << 10
_NO_DISK = (
    "This test mounts a small disk and needs the right to: run it as root (in a container with CAP_SYS_ADMIN), or "
    "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1); and util-linux. {}"
)


def _hold(mount: str) -> tuple[subprocess.Popen[str], tuple[str, ...]]:
    """A process that keeps a mount namespace open, and the options it took: root's own, else a user's."""
    told = []
    for options in (("--mount",), ("--mount", "--user", "--map-root-user")):
        command = ["unshare", *options, "sh", "-c", mount]
        try:
            holder = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        except FileNotFoundError as error:
            told.append(str(error))
            continue
        assert holder.stdout is not None
        if holder.stdout.readline() == "mounted\n":
            return holder, options
        told.append(holder.communicate()[1].strip())
    pytest.fail(_NO_DISK.format("; ".join(told)), pytrace=False)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Shop]:
    """A project whose warehouse is on a disk with 512 KiB left, mounted in a namespace of its own, so that no mount
    outlives it. The file `ballast` takes the rest: to remove it needs no rights, to enlarge the disk does."""
    disk = tmp_path / "disk"
    disk.mkdir()
    fill = f"head -c {DISK - LEFT} /dev/zero > '{disk}/ballast'"
    mount = f"mount -t tmpfs -o size={DISK} tmpfs '{disk}' && {fill} && echo mounted && exec sleep 3600"
    holder, options = _hold(mount)
    enter = ("--user", "--preserve-credentials") if "--user" in options else ()
    made = make_shop(tmp_path / "shop")
    made.write("forge.yaml", FILES["forge.yaml"] + f"warehouse: {disk}/warehouse\n")
    yield Shop(made.root, ("nsenter", f"--target={holder.pid}", "--mount", *enter))
    holder.kill()
    holder.communicate()


@pytest.mark.spark
def test_a_full_disk_leaves_main_as_it_was_and_with_space_the_next_run_succeeds(small_disk: Shop) -> None:
    done = small_disk.forge("run", "--no-progress")
    assert done.status == 0, done.err
    before = small_disk.state()

    # Values that hardly compress: more than 512 KiB of Parquet.
    rows = "".join(f"{number},{number * 0x9E3779B97F4A7C15 % 2**45},2026-11-14\n" for number in range(3, 120_001))
    small_disk.write("data/2.csv", "id,amount,day\n" + rows)
    for _ in range(2):  # first the data does not fit, then, on a full disk, not even the metadata
        done = small_disk.forge("run", "--json", "--no-progress").without_trace()
        assert done.status == COULD_NOT_RUN, done.err
        error = done.error
        assert error["code"] == "FORGE-E305", error
        assert "No space left on device" in str(error["why"])
        after = small_disk.state()
        assert_nothing_lost(before, after)
        assert_recorded(before, after, error)
        before = after

    disk = small_disk.root.parent / "disk"
    subprocess.run([*small_disk.inside, "rm", str(disk / "ballast")], check=True)
    done = small_disk.forge("run", "--no-progress")
    assert done.status == 0, done.err
    after = small_disk.state()
    assert after["head"] != before["head"]
    assert len(after["tables"]["core.orders"][1]) == 120_000
