"""Othello's text notations and file formats: board lines, transcripts, GGF, SGF, WTHOR, drawings."""
