"""Players: a search with a clock, openings and habits, and simpler ones to measure it against."""
