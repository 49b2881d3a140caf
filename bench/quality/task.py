"""The twenty checks that every tool is asked for, and the data they are asked of. What is wrong with the data is known
from how it is made. No part of Forge here: the workers of the peers read this file in environments of their own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

STATUSES = ("new", "paid", "packed", "sent", "done")
COUNTRIES = ("AT", "BE", "CH", "CZ", "DE", "DK", "ES", "FI", "FR", "GB", "IE", "IT", "LU", "NL", "NO", "PL", "PT", "SE")
CUSTOMERS = 100_000
NOW = datetime(2026, 6, 1, tzinfo=UTC)
AGE_DAYS = 365  # how old the newest row may be
DAYS = (date(2025, 12, 1), date(2026, 12, 31))
EMAIL = r"^[a-z0-9]+@[a-z]+\.com$"
CODE = r"^[A-Z][0-9]{4}$"
LATER = "ship_date >= to_date(created_at)"

# Bad rows: those whose id leaves this rest.
NO_EMAIL, BROKEN_EMAIL = (1_000, 1), (50_000, 3)
HIGH_PRICE, FAR_COUNTRY, SENT_EARLY = (100_000, 17), (200_000, 5), (300_000, 9)


@dataclass(frozen=True, slots=True)
class Task:
    """`bad` is the rest that bad rows leave; None: there are none, and the check passes."""

    id: str
    kind: str  # rows | not_null | unique | range | set | regex | newest | mean | sql
    column: str = ""
    low: object = None
    high: object = None
    values: tuple[str, ...] = ()
    text: str = ""
    allowed: float = 0.0  # percent
    bad: tuple[int, int] | None = None

    def passes(self, rows: int) -> bool:
        return bad_rows(self.bad, rows) == 0


def bad_rows(rest: tuple[int, int] | None, rows: int) -> int:
    if rest is None:
        return 0
    every, first = rest
    return (rows - first + every - 1) // every if rows > first else 0


TASKS = (
    Task("rows", "rows", low=1, high=1_000_000_000),
    Task("id_there", "not_null", "id"),
    Task("customer_there", "not_null", "customer_id"),
    Task("amount_there", "not_null", "amount"),
    Task("email_there", "not_null", "email", bad=NO_EMAIL),
    Task("note_mostly_there", "not_null", "note", allowed=20.0),
    Task("id_unique", "unique", "id"),
    Task("key_unique", "unique", "order_key"),
    Task("quantity_range", "range", "quantity", 1, 100),
    Task("price_range", "range", "price", 0.0, 1000.0, bad=HIGH_PRICE),
    Task("amount_range", "range", "amount", 0, 200_000),
    Task("discount_range", "range", "discount", 0.0, 1.0),
    Task("shipped_range", "range", "ship_date", *DAYS),
    Task("status_set", "set", "status", values=STATUSES),
    Task("country_set", "set", "country", values=COUNTRIES, bad=FAR_COUNTRY),
    Task("email_form", "regex", "email", text=EMAIL, bad=BROKEN_EMAIL),
    Task("code_form", "regex", "code", text=CODE),
    Task("fresh", "newest", "updated_at"),
    Task("price_mean", "mean", "price", 400.0, 600.0),
    Task("sent_after_ordered", "sql", text=LATER, bad=SENT_EARLY),
)


def right(said: dict[str, bool], rows: int) -> int:
    """How many of the verdicts are what the data deserves."""
    return sum(said.get(task.id) is task.passes(rows) for task in TASKS)


@dataclass(frozen=True, slots=True)
class Places:
    """Where the data is."""

    folder: Path
    rows: int

    @property
    def orders(self) -> str:
        return str(self.folder / f"orders-{self.rows}")

    @property
    def customers(self) -> str:
        return str(self.folder / "customers")


VIEW = """
SELECT o.id, o.order_key, o.customer_id, o.quantity, o.price, CAST(o.quantity * o.price AS DECIMAL(12, 2)) AS amount,
       o.discount, lower(o.status) AS status, upper(o.country) AS country, lower(o.email) AS email, o.code, o.note,
       o.created_at, o.updated_at, o.ship_date, c.segment, c.region
FROM bench_orders o LEFT JOIN bench_customers c ON o.customer_id = c.customer_id
"""
