"""The programs of the five published reports as searches of this package, and the reports' numbers."""
