from __future__ import annotations

import pytest

from forge.contracts.contract import SlaProperty
from forge.contracts.sla import SERVICES, elements_of, parse_percentage, problem_of, promise_of, service_of, strength


def sla(name: str, value: object, unit: str | None = None) -> SlaProperty:
    return SlaProperty(property=name, value=value, unit=unit)


def test_every_service_has_its_own_names() -> None:
    names = [word.lower() for service in SERVICES for word in (service.name, *service.synonyms)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("ly", "latency"),
        ("LATENCY", "latency"),
        ("time_to_detect", "timeToDetect"),
        ("Re", "retention"),
        ("owner", None),
    ],
)
def test_synonyms_and_letter_case_make_no_difference(written: str, name: str | None) -> None:
    found = service_of(written)
    assert (found.name if found else None) == name


@pytest.mark.parametrize(
    ("value", "unit", "ok"),
    [
        (99.9, None, True),
        ("99.9", "%", True),
        ("99.9%", None, True),
        ("99.9 %", "percent", True),
        (0, None, True),
        (100, None, True),
        (100.1, None, False),
        (-1, None, False),
        ("many", None, False),
        (99, "h", False),
        (True, None, False),
        (None, None, False),
    ],
)
def test_percentages_come_with_or_without_the_sign(value: object, unit: str | None, ok: bool) -> None:
    assert (parse_percentage(value, unit) is not None) is ok


def test_what_cannot_be_held_to_is_a_problem_with_a_fix() -> None:
    assert problem_of(sla("latency", 4, "d")) is None
    assert problem_of(sla("latency", None)) is None, "the standard allows it: nothing is promised"
    assert problem_of(sla("anything", "soon")) is None
    assert problem_of(sla("frequency", "daily")) is None
    found = problem_of(sla("ly", 4))
    assert found is not None
    assert "unit" in found[1]
    assert "duration" in (problem_of(sla("retention", "for ever")) or ("",))[0]
    assert "percentage" in (problem_of(sla("availability", "often")) or ("",))[0]


@pytest.mark.parametrize(
    ("one", "other", "order"),
    [
        (sla("latency", 1, "h"), sla("ly", 2, "h"), 1),
        (sla("freshness", "P1D"), sla("freshness", 24, "h"), 0),
        (sla("retention", 1, "y"), sla("retention", 2, "y"), -1),
        (sla("availability", "99.9%"), sla("av", 99), 1),
        (sla("errorRate", 1), sla("er", "2%"), 1),
        (sla("endOfLife", "2030-01-01"), sla("el", "2030-01-01T00:00:00Z"), 0),
        (sla("endOfSupport", "2030-01-01"), sla("es", "2031-01-01"), -1),
        (sla("generalAvailability", "2030-01-01"), sla("ga", "2031-01-01"), None),
        (sla("timeOfAvailability", "09:00-08:00"), sla("timeOfAvailability", "17:00:00Z"), 0),
        (sla("timeOfAvailability", "08:00"), sla("timeOfAvailability", "09:00"), 1),
        (sla("throughput", 5, "rows/s"), sla("th", 4, "rows/s"), 1),
        (sla("throughput", 5, "rows/s"), sla("th", 4, "MB/s"), None),
        (sla("frequency", "daily"), sla("frequency", "Daily"), 0),
        (sla("frequency", "daily"), sla("frequency", 1, "d"), None),
        (sla("secret sauce", "a"), sla("secret-sauce", "b"), None),
    ],
)
def test_the_stronger_of_two_promises(one: SlaProperty, other: SlaProperty, order: int | None) -> None:
    first, second = promise_of(one), promise_of(other)
    assert first is not None
    assert second is not None
    assert strength(first, second) == order
    assert strength(second, first) == (None if order is None else -order)


def test_a_value_that_says_nothing_promises_nothing() -> None:
    assert promise_of(sla("latency", None)) is None
    assert promise_of(sla("latency", "soon")) is None


def test_an_entry_without_an_element_is_about_the_default_one() -> None:
    promise = promise_of(sla("latency", 1, "h"), "Orders.TS, orders.id")
    assert promise is not None
    assert promise.elements == {"orders.ts", "orders.id"}
    assert elements_of(" , ") == frozenset()
