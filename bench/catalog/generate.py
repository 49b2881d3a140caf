"""A catalog of any size: names, columns, words and owners as a large company has them, the same for every run."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from forge.catalog.search.document import DocumentColumn, DocumentTerm, DocumentType, SearchDocument

NOW = datetime(2026, 11, 15, tzinfo=UTC)


def _words(text: str) -> list[str]:
    return text.split()


NOUNS = _words("""
customer order product invoice payment shipment account user session event click page view campaign lead contact
ticket agent call message email device sensor reading machine plant line batch lot inventory stock warehouse
supplier purchase contract policy claim premium risk loss reserve ledger journal entry balance budget forecast
target plan actual revenue cost margin price discount promotion coupon basket cart return refund complaint
review rating survey response employee department position salary payroll leave absence training skill project
task milestone resource asset location site region country city store branch channel partner vendor subscription
renewal churn cohort segment experiment variant feature model score prediction label training_set image document
file record transaction transfer deposit withdrawal loan mortgage card merchant settlement dispute fraud alert
incident outage deployment release build commit test coverage defect requirement story sprint backlog roadmap
patient visit diagnosis procedure prescription lab result trial study site_visit vehicle trip route driver fuel
maintenance part repair warranty flight booking passenger seat baggage hotel room guest meter tariff consumption
grid outage_report weather station article author publisher edition license royalty playlist track stream
listener subscriber impression bid auction keyword landing conversion attribution touchpoint journey
""")
ADJECTIVES = _words("""
daily weekly monthly hourly raw clean gross net total active inactive open closed pending first last new old
current previous historic global local internal external primary secondary weighted adjusted estimated final
draft verified anonymous masked enriched aggregated detailed summary top unique rolling cumulative fiscal
""")
ENDINGS = _words("""
fact dim snapshot history staging base detail summary mart view export import archive tmp v2 bridge map log
""")
FIELDS = _words("""
id name code type status amount quantity date created_at updated_at deleted_at description currency country
region email phone address first_name last_name score rate ratio count total flag reason source version owner_id
parent_id external_id url ip_address user_agent latitude longitude start_date end_date valid_from valid_to
is_active is_deleted
""")
DOMAINS = [
    f"{one} {two}"
    for one in ("Sales", "Finance", "Supply", "Risk", "People")
    for two in ("Core", "Analytics", "Operations", "Reporting", "Planning", "Platform", "Compliance", "Insights")
]
FILLER = _words("""
the of for each with from and by per all is as in used contains one row every source system joined filtered
before after load report team business rule definition see also
""")
PII = ("email", "phone", "name", "address", "date_of_birth", "ip_address", "credit_card", "ssn")
LEVELS = ("public", "internal", "internal", "confidential", "restricted")
TYPES = (DocumentType.TABLE,) * 12 + (
    DocumentType.VIEW,
    DocumentType.VIEW,
    DocumentType.VIEW,
    DocumentType.DATASET,
    DocumentType.PIPELINE,
    DocumentType.DASHBOARD,
    DocumentType.MODEL,
    DocumentType.METRIC,
)


class CatalogMaker:
    """Documents and the words they are made of. `assets` in about one schema for each five hundred."""

    def __init__(self, assets: int, seed: int = 7) -> None:
        self.assets, self._chance = assets, random.Random(seed)
        chance = self._chance
        self.schemas = [f"{chance.choice(NOUNS)}_{chance.choice(ENDINGS)}_{n}" for n in range(max(4, assets // 500))]
        self.owners = [
            f"{chance.choice(NOUNS)}.{chance.choice(ADJECTIVES)}{n}@example.com" for n in range(max(9, assets // 250))
        ]
        self.tags = [f"{chance.choice(ADJECTIVES)}-{chance.choice(NOUNS)}" for _ in range(300)]
        fields = [f"{noun}_{field}" for noun in NOUNS for field in FIELDS]
        chance.shuffle(fields)
        self._columns = [DocumentColumn(name=name, type="string") for name in (*FIELDS, *fields)]
        self._weights = _falling(len(self._columns), 20)
        self._terms = [DocumentTerm(f"{a} {n}", (f"{n} {a}",)) for a in ADJECTIVES[:20] for n in NOUNS[:20]]

    def documents(self) -> Iterator[SearchDocument]:
        chance = self._chance
        for start in range(0, self.assets, 1000):
            some = min(1000, self.assets - start)
            columns = chance.choices(self._columns, self._weights, k=some * 8)
            words = chance.choices(FILLER + NOUNS + ADJECTIVES, k=some * 14)
            for number in range(some):
                at = start + number
                yield self._document(at, columns[number * 8 : number * 8 + 8], words[number * 14 : number * 14 + 14])

    def _document(self, number: int, columns: list[DocumentColumn], words: list[str]) -> SearchDocument:
        chance = self._chance
        schema = self.schemas[number % len(self.schemas)]
        name = f"{chance.choice(ADJECTIVES)}_{chance.choice(NOUNS)}_{chance.choice(NOUNS)}"
        name = f"{name}_{chance.choice(ENDINGS)}{number}" if number % 3 else f"{name.title().replace('_', '')}{number}"
        qualified = f"{schema}.{name}"
        return SearchDocument(
            id=qualified,
            type=TYPES[number % len(TYPES)],
            name=name,
            qualified_name=qualified,
            container=schema,
            description=" ".join(words) if number % 4 else "",
            columns=tuple({column.name: column for column in columns}.values()),
            tags=tuple(chance.sample(self.tags, number % 4)),
            terms=(chance.choice(self._terms),) if number % 10 == 0 else (),
            owner=self.owners[number * 31 % len(self.owners)] if number % 5 else None,
            domain=DOMAINS[number * 17 % len(DOMAINS)] if number % 7 else None,
            classification=LEVELS[number % 5],
            pii=(PII[number % 8],) if number % 6 == 0 else (),
            quality=float(number * 13 % 101) if number % 2 else None,
            popularity=int(chance.paretovariate(0.7)) if number % 3 else 0,
            fresh_at=NOW - timedelta(minutes=number * 7 % 500_000),
            deprecated=number % 50 == 0,
            has_contract=number % 9 == 0,
        )


def _falling(count: int, flat: int) -> list[float]:
    """Few are used often, many seldom."""
    return [1 / (flat + position) for position in range(count)]
