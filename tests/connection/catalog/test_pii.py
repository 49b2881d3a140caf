"""Personal data in Python: the same words as in the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest
from version_site import open_version_site

from forge.connection import connect
from forge.model.errors import ForgeError

PEOPLE = "id,mail\n" + "".join(f"{n},person{n}@secret.example\n" for n in range(8))


@pytest.mark.slow
def test_scans_and_decisions(tmp_path: Path) -> None:
    with open_version_site(tmp_path / "shop") as site:
        site.commit(PEOPLE, table="core.people")
    with connect(tmp_path / "shop") as project:
        pii = project.catalog.pii
        assert [(one.table, one.outcome, one.found) for one in pii.scan()] == [("core.people", "scanned", 1)]
        assert pii.scan("core.people")[0].outcome == "unchanged"
        (found,) = pii.findings("core.people", states=["open"], types=["email"])
        assert pii.reject(found.id, "made up", expected_version=found.version).state == "rejected"
        with pytest.raises(ForgeError) as refused:
            pii.confirm(found.id, expected_version=found.version)
        assert refused.value.code == "E871"
        assert pii.findings(states=["open"]) == ()
        assert pii.reopen(found.id).state == "open"
        assert "secret.example" not in repr(pii.findings()) + pii.findings()._repr_html_()
