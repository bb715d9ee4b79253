"""Connections: their requests, their searches and their messages."""
