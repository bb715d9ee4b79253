"""Nodes that are processes of this machine, on the standard library's `concurrent.futures`: nothing to install.

It is the smallest engine with processes of its own, and the one to read before writing another.
"""
