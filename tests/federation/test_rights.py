"""Who may read a source."""

from __future__ import annotations

import pytest

from forge.federation.rights import may_read, refuse_reader
from forge.federation.source import ConnectorKind, Source
from forge.model.codes import CODES, NOT_ALLOWED
from forge.model.errors import ForgeError

OPEN = Source("crm", ConnectorKind.SQLITE, path="crm.db")
OF_ADA = Source("crm", ConnectorKind.SQLITE, path="crm.db", readers=("ada@example.com",))


def test_without_readers_everyone_may_read_it() -> None:
    assert may_read(OPEN, "anyone")
    assert may_read(OPEN, "")


@pytest.mark.parametrize("user", ["", "ada", "ADA@example.com", "ada@example.com ", "ada@example.com.evil.example"])
def test_only_its_readers_may_read_it_as_they_are_written(user: str) -> None:
    assert may_read(OF_ADA, "ada@example.com")
    assert not may_read(OF_ADA, user)


def test_a_refusal_tells_nothing_of_what_the_source_is() -> None:
    with pytest.raises(ForgeError) as refused:
        refuse_reader(OF_ADA, "eve")
    assert (refused.value.code, CODES["E885"].exit) == ("E885", NOT_ALLOWED)
    for word in ("crm.db", "ada", "sqlite"):
        assert word not in str(refused.value)
    refuse_reader(OF_ADA, "ada@example.com")
