from __future__ import annotations

from datetime import UTC, datetime

import pytest

from forge.model.errors import ForgeError
from forge.versioning.revision import AncestorStep, Revision, parse_range, parse_revision


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("main", Revision("main")),
        ("HEAD", Revision("HEAD")),
        ("HEAD~2", Revision("HEAD", (AncestorStep(times=2),))),
        ("HEAD~", Revision("HEAD", (AncestorStep(),))),
        ("HEAD^^", Revision("HEAD", (AncestorStep(), AncestorStep()))),
        ("HEAD^2", Revision("HEAD", (AncestorStep(parent=2),))),
        ("HEAD~2^2~3", Revision("HEAD", (AncestorStep(times=2), AncestorStep(parent=2), AncestorStep(times=3)))),
        ("HEAD~0^0", Revision("HEAD")),
        ("v1.0~1", Revision("v1.0", (AncestorStep(),))),
        ("feature/a~1", Revision("feature/a", (AncestorStep(),))),
        ("3f2a91", Revision("3f2a91")),
        ("2026-11-14", Revision("HEAD", (), datetime(2026, 11, 14, 23, 59, 59, 999_999, UTC))),
        ("2026-11-14T06:00", Revision("HEAD", (), datetime(2026, 11, 14, 6, 0, tzinfo=UTC))),
        ("2026-11-14T06:00+02:00", Revision("HEAD", (), datetime(2026, 11, 14, 4, 0, tzinfo=UTC))),
        ("dev@2026-11-14T06:00", Revision("dev", (), datetime(2026, 11, 14, 6, 0, tzinfo=UTC))),
    ],
)
def test_a_revision_is_read_as_people_mean_it(text: str, expected: Revision) -> None:
    assert parse_revision(text) == expected


@pytest.mark.parametrize("text", ["", "~2", "^", "2026-13-40", "0001-01-01T00:00+10:00"])
def test_what_is_no_revision_is_refused(text: str) -> None:
    with pytest.raises(ForgeError) as caught:
        parse_revision(text)
    assert caught.value.code == "E601"


def test_a_name_that_looks_like_a_time_is_kept_beside_it() -> None:
    assert parse_revision("2026-11-14~1").word == "2026-11-14"
    assert parse_revision("dev@2026-11-14").word == "dev@2026-11-14"


def test_steps_of_any_length_are_read_at_once() -> None:
    assert parse_revision("HEAD~" + "9" * 5000).steps[0].times >= 10**8


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a..b", ("a", "b")), ("a..", ("a", "HEAD")), ("..b", ("HEAD", "b")), ("a", ("a", "HEAD"))],
)
def test_a_range_has_two_ends(text: str, expected: tuple[str, str]) -> None:
    assert parse_range(text) == expected
