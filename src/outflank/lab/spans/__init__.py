"""Work and span of a search: recorded, measured and reported; and the counts that cilkview gives."""
