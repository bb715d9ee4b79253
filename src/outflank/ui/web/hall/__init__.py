"""What goes on in a server: the tables at which games are played, the disk, reviews, the laboratory."""
