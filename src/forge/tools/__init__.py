"""Tools of others: datacontract-cli, git. May import flows, domains and model."""
