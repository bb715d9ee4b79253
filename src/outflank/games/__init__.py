"""Rules, evaluations and descriptions of games, without any search."""
