"""Conclusions of the published report 001."""

from outflank.lab.reproduction.claims import Claim

CLAIMS: tuple[Claim, ...] = ()
