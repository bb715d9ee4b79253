"""Conclusions of the published report 000, in the order of its text."""

from outflank.lab.claims import cluster_claims_000, sequential_claims_000
from outflank.lab.claims.ledger import Claim

CLAIMS: tuple[Claim, ...] = tuple(
    Claim(report="000", number=number, where=where, says=says, expected=expected, decide=decide)
    for number, (where, says, expected, decide) in enumerate(
        (*sequential_claims_000.STATEMENTS, *cluster_claims_000.STATEMENTS), 1
    )
)
