"""`forge.connect()`: Forge from Python and notebooks. The same flows as the terminal, built on the wiring."""

from typing import TYPE_CHECKING

from forge.model.lazy_names import lazy_names

if TYPE_CHECKING:
    from forge.connection.lineage.graph import ProjectLineage as ProjectLineage
    from forge.connection.quality.checks import QualityView as QualityView
    from forge.connection.runs.project import Connection as Connection
    from forge.connection.runs.project import connect as connect
    from forge.connection.runs.results import QueryRows as QueryRows
    from forge.connection.runs.results import RunReport as RunReport

# The terminal takes single modules from here: it should not pay for all of them.
__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "ProjectLineage": "forge.connection.lineage.graph",
        "Connection": "forge.connection.runs.project",
        "connect": "forge.connection.runs.project",
        "QualityView": "forge.connection.quality.checks",
        "RunReport": "forge.connection.runs.results",
        "QueryRows": "forge.connection.runs.results",
    },
)
