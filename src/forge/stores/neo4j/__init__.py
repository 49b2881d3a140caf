"""The lineage graph in Neo4j: a copy of the records, for Cypher queries and traversals. The driver comes with `pip
install 'forge[neo4j]'` and is imported only where a server is opened."""
