"""Code that the command line and the web server share."""
