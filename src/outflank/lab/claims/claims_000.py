"""Conclusions of the published report 000, in the order of its text."""

from outflank.lab.claims import cluster_claims_000, discussion_claims_000, outlook_claims_000, sequential_claims_000
from outflank.lab.claims.ledger import claims_from

_PARTS = (sequential_claims_000, cluster_claims_000, discussion_claims_000, outlook_claims_000)

CLAIMS = claims_from("000", (row for part in _PARTS for row in part.ROWS))
