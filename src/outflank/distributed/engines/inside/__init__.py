"""Nodes that are threads of this process: the smallest cluster, with nothing to install."""
