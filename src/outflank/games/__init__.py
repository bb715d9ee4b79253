"""The rules of games, and nothing of searching them."""
