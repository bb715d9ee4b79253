"""Conclusions of the published report 000, in the order of its text."""

from outflank.lab.claims import cluster_claims_000, sequential_claims_000
from outflank.lab.claims.ledger import claims_from

CLAIMS = claims_from("000", (*sequential_claims_000.STATEMENTS, *cluster_claims_000.STATEMENTS))
