"""`from datalineage import query`: another name for `forge.datalineage`."""

from forge.datalineage import Query as Query
from forge.datalineage import query as query
