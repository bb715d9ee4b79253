"""Reproduction of the five reports: one module per report, with one section for each of its tables and figures."""
