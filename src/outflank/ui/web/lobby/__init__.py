"""State that all connections share: games in memory, storage, reviews, and the laboratory."""
