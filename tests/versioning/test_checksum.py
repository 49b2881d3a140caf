"""Checksums of rows add up."""

from __future__ import annotations

from forge.versioning.checksum import NOTHING, add_checksums, checksum_of, subtract_checksums

LARGEST = "f" * 32


def test_nothing_adds_nothing() -> None:
    assert add_checksums(LARGEST, NOTHING) == LARGEST
    assert subtract_checksums(LARGEST, LARGEST) == NOTHING


def test_the_order_of_parts_does_not_matter() -> None:
    parts = [checksum_of(number) for number in (2**127 + 5, 2**127 + 7, 11)]
    forwards = add_checksums(add_checksums(parts[0], parts[1]), parts[2])
    backwards = add_checksums(parts[2], add_checksums(parts[1], parts[0]))
    assert forwards == backwards == checksum_of(23)


def test_a_sum_that_runs_over_starts_again_and_can_be_taken_back() -> None:
    assert add_checksums(LARGEST, checksum_of(1)) == NOTHING
    assert subtract_checksums(NOTHING, checksum_of(1)) == LARGEST


def test_a_row_that_is_there_twice_counts_twice() -> None:
    one = checksum_of(12345)
    assert add_checksums(one, one) != one
    assert subtract_checksums(add_checksums(one, one), one) == one
