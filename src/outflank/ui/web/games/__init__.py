"""Games as they are kept, changed, told to pages and written for elsewhere."""
