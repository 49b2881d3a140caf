"""dbt projects: from the compiled manifest if there is one, else by rendering the models."""

from forge.lineage.extract.dbt.projects import claims_of as claims_of
from forge.lineage.extract.dbt.projects import dbt_files as dbt_files
from forge.lineage.extract.dbt.projects import is_read_by_dbt as is_read_by_dbt
from forge.lineage.extract.dbt.projects import read_dbt as read_dbt
from forge.lineage.extract.dbt.projects import read_projects as read_projects
