"""What the benchmark prints: medians, ratios, and a refusal where the two sides did different work."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def bench() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("bench_run", ROOT / "bench" / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["bench_run"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["bench_run"]


def test_the_ratio_is_that_of_the_medians(bench: ModuleType) -> None:
    plain = [bench.Measured(wall, 20.0, 1.0, 40, {}) for wall in (9.0, 10.0, 50.0)]
    governed = [bench.Measured(wall, 22.0, 2.0, 60, {}) for wall in (12.0, 1.0, 11.0)]
    text, ratios = bench.report_of({"plain": plain, "governed": governed})
    assert ratios == pytest.approx({"wall": 1.1, "jvm_cpu": 1.1, "python_cpu": 2.0, "jobs": 1.5})
    assert text.splitlines()[1].split() == ["wall,", "s", "10.00", "11.00", "1.10"]


def test_both_sides_know_every_table_of_the_project(bench: ModuleType) -> None:
    files = (ROOT / "bench" / "tpch" / "transforms").rglob("*.sql")
    assert sorted(f"{file.parent.name}.{file.stem}" for file in files) == sorted(bench.TRANSFORMS)
    checked = yaml.safe_load((ROOT / "bench" / "tpch" / "checks" / "tpch.yaml").read_text())
    assert set(checked) <= {*bench.sources_of(ROOT / "bench" / "tpch"), *bench.TRANSFORMS}


def test_the_project_points_at_the_data_and_carries_the_settings(bench: ModuleType, tmp_path: Path) -> None:
    data = tmp_path / "sf1"
    data.mkdir()
    (data / "nation.parquet").touch()
    options = bench.parse(["--memory", "3g", "--partitions", "7"])
    project = bench.make_project(tmp_path, data, options)
    assert Path(bench.sources_of(project)["raw.nation"]).exists()
    settings = yaml.safe_load((project / "forge.yaml").read_text())
    assert settings["parallel"] == 1
    assert settings["spark"] == {
        "master": "local[*]",
        "spark.driver.memory": "3g",
        "spark.sql.shuffle.partitions": 7,
    }


@pytest.mark.parametrize(("second", "status"), [((3, 77), 0), ((3, 78), 1), ((4, 77), 1)])
def test_times_of_sides_that_wrote_other_rows_are_thrown_away(
    bench: ModuleType, capsys: pytest.CaptureFixture[str], second: tuple[int, int], status: int
) -> None:
    plain, governed = (bench.Measured(1.0, 1.0, 1.0, 1, {"a.b": content}) for content in ((3, 77), second))
    assert bench.conclude({"plain": [plain], "governed": [governed]}, None) == status
    assert ("ratio" in capsys.readouterr().out) is (status == 0)


@pytest.mark.parametrize(
    ("wall", "cpu", "limit", "status"), [(1.2, 1.0, 1.15, 1), (1.0, 1.2, 1.15, 1), (1.2, 1.2, 1.25, 0), (9, 9, None, 0)]
)
def test_a_ratio_above_the_limit_is_a_failure(
    bench: ModuleType, wall: float, cpu: float, limit: float | None, status: int
) -> None:
    plain, governed = bench.Measured(1.0, 1.0, 1.0, 1, {}), bench.Measured(wall, cpu, 1.0, 1, {})
    assert bench.conclude({"plain": [plain], "governed": [governed]}, limit) == status
