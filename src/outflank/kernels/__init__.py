"""The compilation layer and low-level kernels, independent of any game."""
