"""`forge.connect()`: Forge from Python and notebooks. The same flows as the terminal, above the wiring."""

from forge.connection.lineage import LineageView as LineageView
from forge.connection.project import Connection as Connection
from forge.connection.project import connect as connect
from forge.connection.quality import QualityView as QualityView
from forge.connection.results import Report as Report
from forge.connection.results import Rows as Rows
