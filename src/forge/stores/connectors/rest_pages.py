"""The records of an API's table, page after page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any
from urllib.parse import quote, urlencode

from forge.federation.rest import PAGE_PARAMETERS, PagingType, RestTable, steps_of
from forge.model.errors import ForgeError
from forge.stores.connectors.cells import failed_query
from forge.stores.connectors.json_cells import JsonNumber
from forge.stores.connectors.rest_client import RestAnswer, RestClient


def pages_of(table: RestTable, asked: Mapping[str, str], client: RestClient) -> Iterator[list[dict[str, Any]]]:
    """`asked`: parameters beside those of the table. Pages are counted by number and by records until one is empty: a
    server may give fewer records than were asked for."""
    paging = table.paging
    query = {**table.parameters, **asked}
    if paging.size:
        query[paging.size_parameter] = str(paging.size)
    parameter = paging.parameter or PAGE_PARAMETERS.get(paging.type, "")
    if paging.type in (PagingType.PAGE, PagingType.OFFSET):
        query[parameter] = str(paging.first if paging.type is PagingType.PAGE else 0)
    start = f"{client.address.base}{client.address.path}{table.path}"
    url, done = _with_query(start, query), 0
    seen = {url}
    for number in count(paging.first + 1):
        answer = client.get(url)
        records = _records(answer, table, client)
        yield records
        done += len(records)
        match paging.type:
            case PagingType.NONE:
                return
            case PagingType.PAGE | PagingType.OFFSET:
                if not records:
                    return
                query[parameter] = str(number if paging.type is PagingType.PAGE else done)
            case PagingType.CURSOR:
                cursor = _following(answer, paging.next, client)
                if cursor is None:
                    return
                query[parameter] = cursor
            case PagingType.LINK:
                link = _following(answer, paging.next, client) if paging.next else answer.link
                if link is None:
                    return
                url = client.next_url(answer.url, link)
        url = url if paging.type is PagingType.LINK else _with_query(start, query)
        if url in seen:
            raise failed_query(client.source, f"The pages of {table.path} lead back to one that was read.")
        seen.add(url)


def find_value(record: Any, steps: tuple[str, ...]) -> Any:
    """What is there in JSON; None where it is missing. LookupError: on the way is neither an object nor a list."""
    found = record
    for step in steps:
        match found:
            case None:
                return None
            case dict():
                found = found.get(step)
            case list():
                found = found[int(step)] if step.isascii() and step.isdecimal() and int(step) < len(found) else None
            case _:
                raise LookupError(step)
    return found


def _with_query(url: str, query: Mapping[str, str]) -> str:
    return f"{url}?{urlencode(query, quote_via=quote)}" if query else url


def _records(answer: RestAnswer, table: RestTable, client: RestClient) -> list[dict[str, Any]]:
    try:
        found = find_value(answer.body, steps_of(table.records))
    except LookupError:
        found = None
    if not isinstance(found, list):
        place = table.records or "its top"
        why = f"The answer of {table.path} has no list at {place}."
        raise failed_query(client.source, why, "Correct `records` of the table.")
    if not all(isinstance(one, dict) for one in found):
        raise failed_query(client.source, f"A record of {table.path} is no object.", "Correct `records` of the table.")
    return found


def _following(answer: RestAnswer, place: str, client: RestClient) -> str | None:
    """The cursor or link of the next page; None: there is none."""
    try:
        found = find_value(answer.body, steps_of(place))
    except LookupError as error:
        raise _odd_next(place, client) from error
    if found is None or found is False or found == "":
        return None
    if not isinstance(found, str | JsonNumber):
        raise _odd_next(place, client)
    return str(found)


def _odd_next(place: str, client: RestClient) -> ForgeError:
    why = f"What follows a page is no text at {place}."
    return failed_query(client.source, why, "Correct `paging.next` of the table.")
