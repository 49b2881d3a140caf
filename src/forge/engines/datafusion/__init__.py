"""Executor of federated queries in this process, on Arrow and DataFusion. It computes what it is proved to compute as
Spark would, and refuses the rest. May import federation, flows.federation.ports, versioning.arrow_types and model;
the only place that imports datafusion."""
