"""Work on a GPU, by numba-cuda (`pip install 'outflank[gpu]'`), which nothing else imports."""
