"""The web interface of `outflank serve`: a server on this machine, and the web page that it serves."""
