"""Commands of contracts: `contract` and `compile`."""
