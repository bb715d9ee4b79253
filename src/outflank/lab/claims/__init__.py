"""The conclusions of the published reports, each with a function that computes our answer from a reproduction."""
