"""The engine whose nodes are processes of this machine, with the standard library's `concurrent.futures` only.

It is the smallest engine with several processes, and a good example for writing another.
"""
