"""`from datalineage import ingest, query`: another name for `forge.datalineage`."""

from forge.datalineage import LineageQuery as LineageQuery
from forge.datalineage import ingest as ingest
from forge.datalineage import query as query
