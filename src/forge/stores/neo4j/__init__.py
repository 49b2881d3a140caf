"""The lineage graph in Neo4j: a copy of the record, for people who ask in Cypher and for walks. The driver comes with
`pip install 'forge[neo4j]'` and is imported only where a server is opened."""
