"""Random walks through the versioning flows over real Iceberg tables, held against a model written from the
specification alone. Longer: FORGE_WALKS=first:last python -m pytest tests/flows/versioning/test_model.py"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from version_merge_walk import MergeWalk

LENGTH = int(os.environ.get("FORGE_WALK_LENGTH", "40"))
FIRST, LAST = (int(n) for n in os.environ.get("FORGE_WALKS", "0:4").split(":"))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(FIRST, LAST))
def test_flows_and_model_agree_after_every_step_of_a_random_walk(tmp_path: Path, seed: int) -> None:
    walk = MergeWalk(tmp_path)
    try:
        for number in range(LENGTH):
            walk.step(seed * 1000 + number)
        walk.check_all()
        walk.verify()
    except Exception:
        print("\n".join(walk.told))
        raise
    finally:
        walk.close()
