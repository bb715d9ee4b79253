"""Servers through which programs use a player, and clients that use programs as players: GTP 2 and NBoard 2."""
