"""The engine whose nodes are the ranks of an MPI program, which a launcher has started."""
