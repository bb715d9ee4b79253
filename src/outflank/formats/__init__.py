"""Reading and writing of positions and games, as text and in files."""
