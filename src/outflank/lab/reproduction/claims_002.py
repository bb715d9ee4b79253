"""Conclusions of the published report 002."""

from outflank.lab.reproduction.claims import Claim

CLAIMS: tuple[Claim, ...] = ()
