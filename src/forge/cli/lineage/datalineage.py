"""`datalineage ingest|upstream|downstream|erd`: lineage of a folder of code. Needs no Forge project: without one, the
graph is in `.datalineage/` of the folder."""

from __future__ import annotations

import inspect
import sys
from typing import Any

import typer

from forge.cli.command import give_signature, shared_options, terminal_of
from forge.cli.lineage.erd import erd
from forge.cli.lineage.ingest import ingest
from forge.cli.lineage.walk import downstream, upstream

app = typer.Typer(
    name="datalineage",
    help="Where data comes from and where it goes, read out of code. Begin with: datalineage ingest PATH",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _before(context: typer.Context, **shared: Any) -> None:
    """The graph of the project that the folder is in, else that of the folder itself; reading code makes one."""
    given = {**shared_options(**shared), "program": app.info.name}
    if not ({"-h", "--help"} & set(sys.argv) or any(word.startswith("--project") for word in sys.argv)):
        from forge.datalineage import graph_folder
        from forge.model.errors import ForgeError

        try:
            given["project"] = graph_folder(create=context.invoked_subcommand == "ingest")
        except ForgeError as error:
            from forge.cli.failure import report_failure

            raise typer.Exit(report_failure(error, terminal_of(given))) from None
    context.obj = given


give_signature(
    _before, [p for p in inspect.signature(_before, eval_str=True).parameters.values() if p.name != "shared"]
)
app.callback()(_before)
for _name, _function in {"ingest": ingest, "upstream": upstream, "downstream": downstream, "erd": erd}.items():
    app.command(_name)(_function)


def main() -> None:
    app(prog_name="datalineage")


if __name__ == "__main__":
    main()
