"""Terms as YAML: what `glossary/*.yaml` of a project holds.

```yaml
domain: sales            # of every term below that does not say its own
terms:
  - name: Net revenue
    definition: What was billed, without tax and refunds.
    synonyms: [net sales, turnover]
    related: [Gross revenue]      # ids, or names
    owner: finance@example.com
    state: approved
```"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from forge.catalog.glossary.entry import LARGEST_FILE, MOST_TERMS, TermEntry, TermFile, bad_file
from forge.catalog.glossary.term import CONTENT, GlossaryTerm
from forge.model.errors import ForgeError, errors_of
from forge.model.name_suggestions import did_you_mean
from forge.model.yaml_file import YamlFile, load_yaml

TOP = ("domain", "terms")


def terms_yaml(terms: Iterable[GlossaryTerm]) -> str:
    """One domain is written once, at the top."""
    import yaml

    found = tuple(terms)
    domains = {term.domain for term in found}
    shared = next(iter(domains)) if len(domains) == 1 else ""
    document: dict[str, object] = {"domain": shared} if shared else {}
    document["terms"] = [_item(term, shared) for term in found]
    text: str = yaml.safe_dump(document, allow_unicode=True, sort_keys=False, width=100)
    return text


def load_terms_yaml(text: str, file: str) -> TermFile:
    """Never raises: what cannot be read is an error with its line."""
    if len(text) > LARGEST_FILE:
        return TermFile(errors=(bad_file(f"The file has more than {LARGEST_FILE:,} characters", file, "Split it."),))
    try:
        document = load_yaml(text, file)
        items = _items(document)
    except ForgeError as error:
        return TermFile(errors=errors_of(error))
    data = document.data if isinstance(document.data, Mapping) else {}
    domain = data.get("domain")
    return TermFile(tuple(_entry(document, number, item, domain) for number, item in enumerate(items)))


def _items(document: YamlFile) -> list[object]:
    data, file = document.data, document.file
    if data is None:
        return []
    if not isinstance(data, Mapping):
        raise bad_file("A glossary is a mapping with a list of terms", file, "Begin with terms:.")
    for key in data:
        if key not in TOP:
            fix = did_you_mean(str(key), TOP) or "Its keys are domain and terms."
            raise ForgeError("E104", f"There is no key '{key}' here", where=document.where(str(key)), fix=fix)
    items = data.get("terms")
    if items is None:
        return []
    if not isinstance(items, list):
        raise bad_file("Terms are a list", document.where("terms"), "Begin each with -")
    if len(items) > MOST_TERMS:
        raise bad_file(f"There are more than {MOST_TERMS:,} terms", document.where("terms"), "Split the file.")
    return items


def _entry(document: YamlFile, number: int, item: object, domain: object) -> TermEntry:
    where = document.where("terms", number)
    if not isinstance(item, Mapping):
        return TermEntry(item, where)
    places = {str(key): document.where("terms", number, str(key)) for key in item}
    fields = dict(item) if domain is None or "domain" in item else {**item, "domain": domain}
    return TermEntry(fields, where, places)


def _item(term: GlossaryTerm, shared: str) -> dict[str, object]:
    """Empty fields are left out; a domain that differs from the shared one is written."""
    content = {key: value for key, value in term.content.items() if value not in (None, "", [])}
    if term.domain == shared:
        content.pop("domain", None)
    return {"id": term.id, **{key: content[key] for key in CONTENT if key in content}}
