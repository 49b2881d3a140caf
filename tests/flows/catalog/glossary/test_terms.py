"""Terms: created, changed and deleted, with their rules."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from forge.catalog.glossary.term import GlossaryTerm, TermLink, TermState
from forge.flows.catalog.glossary.ports import GlossaryPorts
from forge.flows.catalog.glossary.terms import change_term, create_term, find_term, find_terms, remove_term
from forge.model.errors import ForgeError
from forge.stores.memory.glossary import MemoryGlossary

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
LINKS = {"sales.net": (TermLink("core.orders"), *(TermLink("core.orders", f"c{n}") for n in range(4)))}


@pytest.fixture
def ports() -> GlossaryPorts:
    return GlossaryPorts(store=MemoryGlossary(), clock=lambda: NOW, actor="eve", links=lambda term: LINKS.get(term, ()))


def net(ports: GlossaryPorts) -> GlossaryTerm:
    return create_term({"name": "Net", "domain": "sales", "state": "draft"}, ports)


def test_a_term_is_made_with_its_record(ports: GlossaryPorts) -> None:
    made = net(ports)
    assert (made.id, made.version, made.created_at, made.updated_by) == ("sales.net", 1, NOW, "eve")
    assert find_term(ports.store, "sales.net") == made
    assert find_term(ports.store, "NET") == made


def test_a_name_is_taken_in_its_domain_only(ports: GlossaryPorts) -> None:
    net(ports)
    with pytest.raises(ForgeError) as refused:
        create_term({"name": "net", "domain": "sales"}, ports)
    assert refused.value.code == "E864"
    with pytest.raises(ForgeError, match="There is a term"):
        create_term({"name": "other", "id": "sales.net"}, ports)
    assert create_term({"name": "net"}, ports).id == "net"
    with pytest.raises(ForgeError) as several:
        find_term(ports.store, "Net")
    assert several.value.why == "Several have that name: net, sales.net."
    assert find_term(ports.store, "net").id == "net"


def test_an_unknown_term_is_answered_with_the_nearest(ports: GlossaryPorts) -> None:
    net(ports)
    with pytest.raises(ForgeError) as unknown:
        find_term(ports.store, "sales.nett")
    assert (unknown.value.code, unknown.value.why) == ("E861", "Did you mean sales.net?")


def test_related_terms_are_named_and_must_be_there(ports: GlossaryPorts) -> None:
    net(ports)
    made = create_term({"name": "Gross", "domain": "sales", "related": ["NET", "sales.net", "Gross"]}, ports)
    assert made.related == ("sales.net",)
    with pytest.raises(ForgeError) as refused:
        create_term({"name": "Other", "related": ["nut"]}, ports)
    assert refused.value.code == "E860"


def test_a_change_leaves_the_rest(ports: GlossaryPorts) -> None:
    made = net(ports)
    changed = change_term("sales.net", {"state": "approved", "synonyms": ["x"]}, ports, version=1)
    assert (changed.name, changed.state, changed.version) == ("Net", TermState.APPROVED, 2)
    assert ports.store.history(made.id)[0].changed == ("synonyms", "state")


def test_a_change_of_an_old_version_is_refused(ports: GlossaryPorts) -> None:
    net(ports)
    change_term("sales.net", {"owner": "bob"}, ports, version=1)
    with pytest.raises(ForgeError) as stale:
        change_term("sales.net", {"owner": "ann"}, ports, version=1)
    assert stale.value.code == "E862"
    assert find_term(ports.store, "sales.net").owner == "bob"
    with pytest.raises(ForgeError):
        remove_term("sales.net", ports, version=1, force=True)


def test_no_change_is_no_version(ports: GlossaryPorts) -> None:
    made = net(ports)
    assert change_term("sales.net", {"name": " Net "}, ports) == made
    assert len(ports.store.history(made.id)) == 1


def test_a_term_in_use_is_deleted_by_force_only(ports: GlossaryPorts) -> None:
    net(ports)
    other = create_term({"name": "Gross", "related": ["sales.net"]}, ports)
    with pytest.raises(ForgeError) as used:
        remove_term("sales.net", ports)
    assert (used.value.code, used.value.why) == (
        "E863",
        "It describes core.orders, core.orders.c0, core.orders.c1 and 2 more.",
    )
    remove_term("sales.net", ports, force=True)
    assert find_term(ports.store, other.id).related == ()
    assert find_term(ports.store, other.id).version == 2


def test_a_term_that_comes_back_counts_on(ports: GlossaryPorts) -> None:
    net(ports)
    remove_term("sales.net", ports, force=True)
    assert net(ports).version == 3


def test_terms_are_found_by_words_of_anything(ports: GlossaryPorts) -> None:
    net(ports)
    create_term({"name": "Churn", "definition": "Lost customers", "synonyms": ["attrition"]}, ports)
    assert [term.name for term in find_terms(ports.store, text="LOST attri")] == ["Churn"]
    assert [term.name for term in find_terms(ports.store, domain="sales")] == ["Net"]
    assert find_terms(ports.store, state=TermState.APPROVED) == ()


def test_all_faults_are_told(ports: GlossaryPorts) -> None:
    with pytest.raises(ForgeError) as wrong:
        create_term({"name": "", "state": "x"}, ports)
    assert "name is missing" in str(wrong.value)
    assert "state" in str(wrong.value)
