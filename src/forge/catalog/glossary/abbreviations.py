"""Abbreviations in names of columns, and what a word says about the type of a column."""

from __future__ import annotations

from collections.abc import Mapping

from forge.model.types import parse_type

_LONG = """
account: acct acc|address: addr adr|amount: amt|application: app|approved: appr|average: avg|balance: bal|begin: beg
business: biz|calendar: cal|category: cat catg|channel: chan chnl|code: cd|company: comp co cmpny|contact: cntct
contract: contr ctr|country: ctry cntry|created: crtd|currency: curr ccy cur|customer: cust cstmr cus|date: dt
delivery: deliv dlv|department: dept dpt|description: desc descr|discount: disc dsct|document: doc|employee: emp empl
expiration: exp|flag: flg ind|frequency: freq|group: grp|identifier: id ident|image: img|inventory: inv|item: itm
language: lang|last: lst|location: loc|manager: mgr|manufacturer: mfr manuf|margin: mrgn|maximum: max|message: msg
minimum: min|month: mth mon mo|name: nm nme|number: num nbr no nr|order: ord|organization: org organisation
original: orig|package: pkg|parent: par|payment: pmt pymt pay|percentage: pct perc percent|phone: tel ph phn telephone
position: pos|previous: prev|price: prc|priority: prio|product: prod prd|profit: prft|purchase: purch|quantity: qty qnty
quarter: qtr|rate: rt|reference: ref|region: reg rgn|request: req|revenue: rev|sales: sls|sequence: seq|service: svc srv
shipment: shpmt shipmt|shipping: shp shpg|source: src|standard: std|statistic: stat|status: sts stat|street: str
supplier: supp suppl|system: sys|target: tgt trgt|temperature: temp|timestamp: ts tmstmp|total: tot ttl
transaction: txn trx trans tx|type: typ tp|updated: upd updt|user: usr|value: val|vendor: vend vndr|version: ver vers
volume: vol|warehouse: whse wh|weight: wt wgt|year: yr
"""


def _read(text: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for entry in text.replace("\n", "|").split("|"):
        long, _, short = entry.partition(":")
        for word in short.split():
            found.setdefault(word, []).append(long.strip())
    return {word: tuple(longs) for word, longs in found.items()}


ABBREVIATIONS: Mapping[str, tuple[str, ...]] = _read(_LONG)
"""What a short word may stand for."""
SHORT_FORMS: Mapping[str, tuple[str, ...]] = {
    long: tuple(short for short, longs in ABBREVIATIONS.items() if long in longs)
    for long in {long for longs in ABBREVIATIONS.values() for long in longs}
}

_NUMBERS = "amount price revenue cost quantity count total sum margin profit balance weight volume score average tax"
_NUMBERS += " discount fee salary percentage rate ratio share"
_TIMES = "date day time timestamp month week created updated birthday"
_TRUTHS, _TEXTS, _KEYS = "flag", "name email description address comment", "identifier code number"
_FAMILIES_OF = {
    **dict.fromkeys(_NUMBERS.split(), ("number",)),
    **dict.fromkeys(_TIMES.split(), ("time", "text", "number")),
    **dict.fromkeys(_TRUTHS.split(), ("truth", "text", "number")),
    **dict.fromkeys(_TEXTS.split(), ("text", "nested")),
    **dict.fromkeys(_KEYS.split(), ("text", "number")),
}
_FAMILIES = {
    "number": "tinyint smallint int bigint uint8 uint16 uint32 uint64 halffloat float double decimal",
    "text": "string varchar char uuid",
    "time": "date timestamp timestamp_ntz time interval",
    "truth": "boolean",
    "nested": "struct array map variant",
    "bytes": "binary fixed",
}
_FAMILY = {word: family for family, words in _FAMILIES.items() for word in words.split()}


def type_family(data_type: str) -> str:
    """number, text, time, truth, nested or bytes; empty where it is not known."""
    return _FAMILY.get(parse_type(data_type).name, "") if data_type.strip() else ""


def suits(word: str, data_type: str) -> bool | None:
    """Whether a column of that type can hold what the word names; None: nothing speaks for or against it."""
    family, wanted = type_family(data_type), _FAMILIES_OF.get(word)
    return None if not family or wanted is None else family in wanted
