"""OpenSearch and Elasticsearch adapters: the search index on a server, by REST calls that both understand."""
