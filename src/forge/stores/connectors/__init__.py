"""Sources that queries read beside the lake: databases and files, each opened by its connector."""

from forge.stores.connectors.connector import open_connector as open_connector
