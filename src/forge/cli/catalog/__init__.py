"""Commands of the catalog: `catalog` with its glossary, profiles and discovery, and `pii`."""
