"""Imports checks of other tools: dbt tests, Great Expectations suites, SodaCL. Pure: text in; mapped checks and
unmapped items out."""

from forge.quality.imports.dbt import read_dbt_file as read_dbt_file
from forge.quality.imports.dbt import read_dbt_test as read_dbt_test
from forge.quality.imports.gx import read_gx_suite as read_gx_suite
from forge.quality.imports.mapping import ImportedChecks as ImportedChecks
from forge.quality.imports.mapping import MappedCheck as MappedCheck
from forge.quality.imports.mapping import TableNames as TableNames
from forge.quality.imports.mapping import UnmappedCheck as UnmappedCheck
from forge.quality.imports.soda import read_soda_file as read_soda_file
