"""The five reports again: a module for each, a section for every table and figure that it printed."""
