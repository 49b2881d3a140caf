"""Detection of personal data in columns, by name and by value."""

from forge.catalog.pii.detect import RULES as RULES
from forge.catalog.pii.detect import PiiFinding as PiiFinding
from forge.catalog.pii.detect import find_pii as find_pii
from forge.catalog.pii.detect import rests_on_values as rests_on_values
from forge.catalog.pii.own_types import PiiType as PiiType
