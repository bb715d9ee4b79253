"""Reproduction of the five reports: one module per report, one section for every table and figure that it printed."""
