"""Conclusions of the published report 000."""

from outflank.lab.reproduction.claims import Claim

CLAIMS: tuple[Claim, ...] = ()
