"""`forge.connect()`: Forge from Python and notebooks. The same flows as the terminal, above the wiring."""

from typing import TYPE_CHECKING

from forge.model.lazy import lazy_names

if TYPE_CHECKING:
    from forge.connection.lineage.graph import ProjectLineage as ProjectLineage
    from forge.connection.quality.checks import QualityView as QualityView
    from forge.connection.runs.project import Connection as Connection
    from forge.connection.runs.project import connect as connect
    from forge.connection.runs.results import Report as Report
    from forge.connection.runs.results import Rows as Rows

# The terminal takes single modules from here: it should not pay for all of them.
__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "ProjectLineage": "forge.connection.lineage.graph",
        "Connection": "forge.connection.runs.project",
        "connect": "forge.connection.runs.project",
        "QualityView": "forge.connection.quality.checks",
        "Report": "forge.connection.runs.results",
        "Rows": "forge.connection.runs.results",
    },
)
