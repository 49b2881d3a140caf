"""Checks of other tools, read into checks of a project: dbt tests, Great Expectations suites, SodaCL. Pure: text in,
checks and what did not map out."""

from forge.quality.imports.dbt import read_dbt_file as read_dbt_file
from forge.quality.imports.dbt import read_dbt_test as read_dbt_test
from forge.quality.imports.gx import read_gx_suite as read_gx_suite
from forge.quality.imports.mapped import Imported as Imported
from forge.quality.imports.mapped import Mapped as Mapped
from forge.quality.imports.mapped import Names as Names
from forge.quality.imports.mapped import Unmapped as Unmapped
from forge.quality.imports.soda import read_soda_file as read_soda_file
