"""Search of the catalog: documents, queries, stages of matching, ranks, pages. May import `forge.model` and this room.

A query is planned as data (`plan`): a clause for each stage of matching. An index finds what satisfies a clause, in a
fixed order; everything else (stages, pages, columns as results, highlights, reasons) happens here, once, so that every
index gives the same answer."""
