from __future__ import annotations

from datetime import UTC, datetime

import pytest

from forge.model.errors import ForgeError
from forge.versioning.revision import Revision, parse_range, parse_revision


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("main", Revision("main")),
        ("HEAD", Revision("HEAD")),
        ("HEAD~2", Revision("HEAD", 2)),
        ("HEAD~", Revision("HEAD", 1)),
        ("HEAD^^", Revision("HEAD", 2)),
        ("HEAD~2^~3", Revision("HEAD", 6)),
        ("feature/a~1", Revision("feature/a", 1)),
        ("3f2a91", Revision("3f2a91")),
        ("2026-11-14", Revision("HEAD", 0, datetime(2026, 11, 14, 23, 59, 59, 999_999, UTC))),
        ("2026-11-14T06:00", Revision("HEAD", 0, datetime(2026, 11, 14, 6, 0, tzinfo=UTC))),
        ("2026-11-14T06:00+02:00", Revision("HEAD", 0, datetime(2026, 11, 14, 4, 0, tzinfo=UTC))),
        ("dev@2026-11-14T06:00", Revision("dev", 0, datetime(2026, 11, 14, 6, 0, tzinfo=UTC))),
    ],
)
def test_a_revision_is_read_as_people_mean_it(text: str, expected: Revision) -> None:
    assert parse_revision(text) == expected


@pytest.mark.parametrize("text", ["", "~2", "^", "2026-13-40"])
def test_what_is_no_revision_is_refused(text: str) -> None:
    with pytest.raises(ForgeError) as caught:
        parse_revision(text)
    assert caught.value.code == "E601"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a..b", ("a", "b")), ("a..", ("a", "HEAD")), ("..b", ("HEAD", "b")), ("a", ("a", "HEAD"))],
)
def test_a_range_has_two_ends(text: str, expected: tuple[str, str]) -> None:
    assert parse_range(text) == expected
