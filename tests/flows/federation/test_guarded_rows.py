"""Masked values."""

from __future__ import annotations

import pyarrow as pa
import pytest

from forge.federation.policy import MaskKind
from forge.flows.federation.guarded_rows import masked_values


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ada@example.com", "a***@example.com"),
        ("ada@localhost", "a***@localhost"),
        ("ada@büro.example", "a***@büro.example"),
        ("J@n Doe, 5 Secret Street", "***reet"),
        ("@everyone is secret", "***cret"),
        ("me@here: secret", "***cret"),
        ("a@", "***"),
        ("x@y@z secret words", "***ords"),
        ("+44 1234 5678", "***5678"),
        ("12345678", "***"),
        (None, None),
    ],
)
def test_a_part_of_a_text_is_its_end_or_the_place_of_an_address(text: str | None, shown: str | None) -> None:
    assert masked_values(pa.array([text], pa.string()), MaskKind.PARTIAL, bytes).to_pylist() == [shown]
