"""All library models, in lookup order."""

from __future__ import annotations

from forge.lineage.extract.python.builtin import PYTHON
from forge.lineage.extract.python.database import AIRFLOW, RAW_SQL
from forge.lineage.extract.python.forge_transform import FORGE_DECORATORS
from forge.lineage.extract.python.library import Libraries, Library
from forge.lineage.extract.python.pandas.library import HASHING, PANDAS
from forge.lineage.extract.python.pandas.numpy import NUMPY
from forge.lineage.extract.python.parameters import PARAMETERS
from forge.lineage.extract.python.polars.library import POLARS, SELECTORS
from forge.lineage.extract.python.pyspark.library import PYSPARK
from forge.lineage.extract.python.templates import TEMPLATES

FORGE = Library(modules=("forge",), decorators=FORGE_DECORATORS)
MODELS = (PYTHON, FORGE, PARAMETERS, TEMPLATES, PYSPARK, PANDAS, NUMPY, HASHING, POLARS, SELECTORS, RAW_SQL, AIRFLOW)
LIBRARIES = Libraries(models=MODELS)
