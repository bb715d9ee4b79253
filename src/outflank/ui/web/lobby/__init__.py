"""The state that all connections share: games in memory, storage, reviews, the laboratory."""
