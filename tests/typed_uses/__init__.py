"""What a type checker must accept, and what it must refuse. Nothing here is ever run."""
