"""Loops that let programs drive a player, and players that drive other programs: GTP 2 and NBoard 2."""
