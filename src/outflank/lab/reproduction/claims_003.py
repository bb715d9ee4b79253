"""Conclusions of the published report 003."""

from outflank.lab.reproduction.claims import Claim

CLAIMS: tuple[Claim, ...] = ()
