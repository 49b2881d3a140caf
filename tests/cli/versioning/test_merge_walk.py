"""One merge goes the way that docs/architecture.md shows."""

from __future__ import annotations

from typing import Any

import pytest
from recorded_walk import assert_walk, record_calls, walks


@pytest.mark.slow
def test_a_merge_goes_the_way_that_is_written(torn: Any) -> None:
    def merge() -> None:
        ended = torn("merge", "fix", "--take", "ours")
        assert ended.status == 0, ended.out + ended.err

    assert_walk(walks()["A merge"], record_calls(merge))
