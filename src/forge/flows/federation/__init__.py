"""Federation: queries over the lake and the sources of a project. May import the domains and forge.model."""
