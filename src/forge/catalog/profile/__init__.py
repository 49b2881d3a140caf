"""Profiles of tables: what the values of each column look like, how two profiles differ, and what of them may be shown.

Pure; imports `forge.model` only. `flows/catalog/profiling` measures and stores them. The profile from which checks are
suggested (`quality/profile.py`) is another noun: it holds readings of quality measures, orphans and formats."""

from forge.catalog.profile.bins import BinPlan as BinPlan
from forge.catalog.profile.bins import plan_bins as plan_bins
from forge.catalog.profile.diff import ProfileDiff as ProfileDiff
from forge.catalog.profile.diff import StatisticChange as StatisticChange
from forge.catalog.profile.diff import diff_profiles as diff_profiles
from forge.catalog.profile.mask import mask_columns as mask_columns
from forge.catalog.profile.mask import mask_profile as mask_profile
from forge.catalog.profile.record import ColumnHistogram as ColumnHistogram
from forge.catalog.profile.record import ProfiledColumn as ProfiledColumn
from forge.catalog.profile.record import ProfileMeasurement as ProfileMeasurement
from forge.catalog.profile.record import TableProfile as TableProfile
from forge.catalog.profile.record import TopValue as TopValue
from forge.catalog.profile.value_class import ValueClass as ValueClass
from forge.catalog.profile.value_class import class_of as class_of
