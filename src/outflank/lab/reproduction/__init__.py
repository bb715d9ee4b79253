"""Reproduction of the five published reports: a module for each, with a section for each of its tables and figures."""
