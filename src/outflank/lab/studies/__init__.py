"""The experiments, one module per family; `outflank.lab.experiment` lists the module of each experiment."""
