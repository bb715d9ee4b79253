"""The programs of the five reports as searches of this package, and the numbers that the reports published."""
