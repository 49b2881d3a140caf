"""Sources that queries read beside the lake: databases, files and APIs, each opened by its connector."""

from forge.stores.connectors.connector import open_connector as open_connector
