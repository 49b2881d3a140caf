"""`forge contract publish-results`: store test results in the registry, or post them to another server."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.answer import CommandAnswer
from forge.cli.command import command
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from forge.wiring import Wiring


@command
def publish_results(
    terminal: Terminal,
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE|CONTRACT",
            help="JSON of `datacontract test --output-format json`, - for stdin; or the id, name, table or file of a "
            "contract: what Forge's checks said last of its tables.",
        ),
    ],
    to: Annotated[
        str | None, typer.Option("--to", metavar="URL", help="Send them there. Default: keep them in this project.")
    ] = None,
    key: Annotated[
        str | None, typer.Option("--key", metavar="REF", help="Token for --to, as env:NAME or file:/path.")
    ] = None,
) -> None:
    """Publish results of tests of a contract: to this project's registry, or to another server that takes what
    `datacontract test --publish` sends."""
    from forge.contracts.datacontract_results import read_results
    from forge.flows.contracts.results import receive_results

    _refuse_usage(to, key)
    with terminal.open() as wiring:
        data = _data(source, wiring)
        if to is not None:
            run = read_results(data, at=wiring.clock(), by=wiring.author.email)
            _send(data, to, key, wiring)
            line = f"{run.contract_id}: {run.result}, {len(run.checks)} checks sent"
        else:
            taken = receive_results(data, wiring.contracts.ports())
            run = taken.run
            was = "kept" if taken.created else "were known already"
            line = f"{run.contract_id}: {run.result}, {len(run.checks)} checks {was}"
    terminal.answer(CommandAnswer(name="results", items=[run.to_dict()], head=[line]))


def _refuse_usage(to: str | None, key: str | None) -> None:
    from forge.model.secret import FORM, is_reference

    if to is not None and not to.lower().startswith(("http://", "https://")):
        raise ForgeError(
            "E105", "--to is no address of http or https", fix="Write it like https://host/api/v1/contracts/results."
        )
    if key is not None and not is_reference(key):
        raise ForgeError("E105", "--key is a reference, not the token itself", fix=FORM)


def _data(source: str, wiring: Wiring) -> Mapping[str, object]:
    import json

    path = Path(source)
    is_contract = path.suffix in (".yaml", ".yml") or (not path.is_file() and path.suffix != ".json")
    if source != "-" and is_contract:
        return _own(source, wiring)
    try:
        text = sys.stdin.read() if source == "-" else path.read_text(encoding="utf-8")
        data = json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        why = getattr(error, "strerror", None) or str(error)
        fix = "Give what `datacontract test --output-format json` wrote, or the id of a contract."
        raise ForgeError("E103", f"{source} cannot be read as JSON", where=source, why=why[:200], fix=fix) from error
    if not isinstance(data, dict):
        raise ForgeError("E105", "The results are not a JSON object", where=source)
    return data


def _own(name: str, wiring: Wiring) -> Mapping[str, object]:
    from forge.flows.contracts.queries import find_known, newest_text
    from forge.flows.contracts.results import results_of
    from forge.flows.quality.results import find_results
    from forge.model.names import TableName

    ports = wiring.contracts.ports()
    contract = newest_text(find_known(ports, name), ports).contract
    found = [
        one
        for table in contract.tables
        if "." in table.table
        for one in find_results(
            wiring.metadata, wiring.quality.monitors, table=TableName.parse(table.table), limit=1000
        )
    ]
    return results_of(contract, sorted(found, key=lambda one: one.executed_at, reverse=True), wiring.clock())


def _send(data: Mapping[str, object], url: str, key: str | None, wiring: Wiring) -> None:
    import json

    from forge.model.secret import resolve_secret
    from forge.wiring.contracts import send_results

    headers = {"x-api-key": str(resolve_secret(key, wiring.environ, "--key"))} if key else {}
    send_results(url, json.dumps(data, ensure_ascii=False).encode("utf-8", "replace"), headers)
