"""Othello in text and files: board lines, transcripts, GGF, SGF, WTHOR, drawings."""
