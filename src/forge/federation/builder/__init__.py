"""The query builder: a SELECT of one level as data, its SQL, and the data of a SQL that has no more than that."""
