"""The experiments; `outflank.lab.experiment` lists their modules. The reports' numbers are in `lab/published`."""
