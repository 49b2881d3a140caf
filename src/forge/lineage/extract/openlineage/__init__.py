"""OpenLineage events: parsing, validation, and conversion to claims."""

from forge.lineage.extract.openlineage.claims import claims_of as claims_of
from forge.lineage.extract.openlineage.events import batch_of as batch_of
from forge.lineage.extract.openlineage.events import counts_alone as counts_alone
from forge.lineage.extract.openlineage.events import merge_events as merge_events
from forge.lineage.extract.openlineage.events import producer_of_event as producer_of_event
from forge.lineage.extract.openlineage.names import DatasetNaming as DatasetNaming
from forge.lineage.extract.openlineage.reader import kept_part as kept_part
from forge.lineage.extract.openlineage.reader import read_event as read_event
