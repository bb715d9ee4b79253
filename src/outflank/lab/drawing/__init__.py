"""Drawing reports as pictures and pages: self-contained SVG and HTML text.

matplotlib is not used, because its SVG has fixed colours: our pages follow the reader's light or dark theme.
"""
