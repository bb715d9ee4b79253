"""Drawing reports as self-contained SVG pictures and HTML pages.

matplotlib is not used, because colours in its SVG are fixed. Our pages follow the reader's light or dark theme.
"""
