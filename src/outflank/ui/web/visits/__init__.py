"""Connections of users: their requests, searches and messages."""
