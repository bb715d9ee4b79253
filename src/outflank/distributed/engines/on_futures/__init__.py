"""Nodes that are processes of this machine, on the standard library's `concurrent.futures`: nothing to install.

The smallest engine that reaches beyond this process, and the one to read before writing another.
"""
