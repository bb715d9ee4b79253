"""From reports to pictures and pages: SVG and HTML as text, with nothing to load from elsewhere."""
