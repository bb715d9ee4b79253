"""Text and files to values, and back."""
