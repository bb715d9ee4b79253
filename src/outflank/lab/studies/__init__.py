"""The experiments. `outflank.lab.experiment` lists their modules; published numbers are in `lab/published`."""
