"""External tools: datacontract-cli, git. May import flows, domains and model."""
