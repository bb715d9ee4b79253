"""The experiments, a module for each family; `outflank.lab.experiment` knows where each one lives."""
