"""Work and span of searches: recordings, computation and reports, and the counts that cilkview gives."""
