"""What value a tree has, and how large it is."""
