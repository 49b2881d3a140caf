"""Profiles from Python. No JVM: the table is small."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from version_site import ORDERS, VersionSite, open_version_site

from forge.connection.catalog.assets import CatalogView
from forge.connection.catalog.profiles import ProfileBook
from forge.model.errors import ForgeError, UnknownNameError

pytestmark = pytest.mark.slow


@pytest.fixture
def site(tmp_path: Path) -> Iterator[VersionSite]:
    with open_version_site(tmp_path / "shop") as opened:
        opened.commit(ORDERS)
        opened.branch("dev")
        opened.commit("id,name,amount\n4,d,100.0\n", branch="dev", mode="append")
        opened.commit("id,name,amount\n5,e,200.0\n", branch="dev", mode="append")
        yield opened


@pytest.fixture
def profile(site: VersionSite) -> ProfileBook:
    return CatalogView(site.wiring).profile


def test_a_profile_is_made_once_and_then_shown(profile: ProfileBook) -> None:
    with pytest.raises(UnknownNameError):
        profile.show("core.orders@dev")
    made = profile("core.orders@dev")
    amount = made.column("amount")
    assert amount is not None
    assert (made.row_count, amount.minimum, amount.maximum) == (5, 10.5, 200.0)
    assert profile.show("core.orders@dev") == made == profile.make("core.orders@dev")
    assert made.to_dict()["row_count"] == 5
    assert [one["row_count"] for one in profile.history("core.orders").rows()].count(5) == 1


def test_two_commits_are_compared(profile: ProfileBook) -> None:
    found = profile.diff("core.orders", "dev~1", "dev")
    (rows,) = [one for one in found.changes if one.statistic == "row_count"]
    assert (rows.before, rows.after, rows.by) == (4, 5, 1.0)
    assert profile.diff("core.orders@dev", "dev~1").to_dict() == found.to_dict()
    now = profile.diff("core.orders", "dev")
    assert (now.before.row_count, now.after.row_count) == (5, 3)
    assert profile.diff("core.orders", "dev", "dev").same


def test_a_sample_says_that_it_is_one(profile: ProfileBook) -> None:
    assert profile("core.orders@dev~1", sample=0.5).sampled
    for sample in (0.0, 2.0):
        with pytest.raises(ForgeError) as refused:
            profile("core.orders", sample=sample)
        assert refused.value.code == "E105"
