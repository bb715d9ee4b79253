"""Players: one that searches, with a clock and an opening book, and simpler ones to compare it with."""
