"""Conclusions of the published report 004."""

from outflank.lab.reproduction.claims import Claim

CLAIMS: tuple[Claim, ...] = ()
