"""The web interface: a server on this machine, and the page that it serves."""
