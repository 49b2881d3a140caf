"""`from datalineage import ingest, query`: another name for `forge.datalineage`."""

from forge.datalineage import Query as Query
from forge.datalineage import ingest as ingest
from forge.datalineage import query as query
