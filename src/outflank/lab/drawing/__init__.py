"""From reports to pictures and pages: SVG and HTML as text, with nothing to load from elsewhere.

Drawn here and not by matplotlib, whose SVG has its colours written into it: a page is light or dark as its reader is.
"""
