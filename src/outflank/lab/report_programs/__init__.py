"""The five reports' programs as searches of this package, and the numbers that the reports published."""
